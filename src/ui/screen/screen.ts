import type {Size} from '../../store/view-slice.ts';
import {continues, wrapWide} from '../../terminal/text/wrap.ts';
import {createFrame, createInkStdout, createLiveLines, type LiveLines} from './frame.ts';
import {type Caret, type Drawn, type Frame, nothingDrawn, type Prompt, redraw} from './live-region.ts';
import {eraseDown} from './pen.ts';
import {
	appendLines,
	type DrawingOptions,
	drawRegion,
	emptyRegion,
	eraseFrame,
	forgetAbove,
	type Region,
	type Resize,
	startOver,
} from './region.ts';
import {isLeftover, resizeRegion} from './resize/resize-region.ts';
import type {SentFrames} from './resize/sent-frames.ts';
import {drawnSizeOf, isTooSmall, type ScreenOutput, sizeOf} from './window-size.ts';

type Options = {
	/** Runs a function at the end of this turn of the event loop. */
	readonly later?: ((run: () => void) => void) | undefined;
	/** Returns true if the terminal wraps rows that are wider than a narrower window, as most do. */
	readonly reflows?: () => boolean;
	/** Returns how frames are drawn. By default lines are inserted and deleted, and there are no marks. */
	readonly drawing?: () => DrawingOptions;
	/** Returns what follows frames on their way, once it is loaded. */
	readonly sentFrames?: () => SentFrames | undefined;
	/** The lines at the top of each frame. Ink doesn't lay them out, because they change with each token. */
	readonly live?: LiveLines | undefined;
};

const plain = (): DrawingOptions => ({insertsLines: true, marks: false});

/** Terminals with synchronized output show everything between the two at once. */
export const beginSync = '\u001B[?2026h';
export const endSync = '\u001B[?2026l';

export type Screen = {
	/** The standard output for Ink. In its debug mode it writes each frame there, whole and alone. */
	readonly stdout: NodeJS.WriteStream;
	/** Writes finished lines, each with its newline, above the frame, where they become the terminal's own scrollback. */
	readonly print: (data: string) => void;
	/** Moves the terminal's cursor to this cell of what Ink draws, in the next frame; undefined hides it. */
	readonly setCaret: (caret: Caret | undefined) => void;
	/** Sets what is drawn over rows of Ink from now on. */
	readonly setPrompt: (prompt: Prompt) => void;
	/** Sets how many rows above those of Ink the live lines have, given their number. The last ones are drawn. */
	readonly limitLive: (rowsFor: (lines: number) => number) => void;
	/** Writes everything pending now, before the process exits or something else uses the terminal. */
	readonly flush: () => void;
	/** Writes nothing until `release`: something else has the window, or its size is unknown. */
	readonly hold: () => void;
	readonly release: () => void;
	readonly isHeld: () => boolean;
	/** Erases the frame, moves the cursor to its start, and holds. With `keepsAbove`, nobody else writes there meanwhile. */
	readonly erase: (how?: {readonly keepsAbove: boolean}) => void;
	/** Draws on the alternate screen, which the caller has switched to while the frame is erased. Holds when that is over. */
	readonly alternate: {readonly isOpen: () => boolean; readonly open: () => void; readonly close: () => void};
	/** Draws the whole frame at the cursor, after `sequence`, as if nothing were on the screen. */
	readonly startOver: (sequence: string) => void;
	/**
	 * Draws the whole frame in place after the window was resized, and tells Ink. Its `rewrap` draws the last lines above the
	 * frame at the new width; without its `row` only those that are certainly still in the window.
	 */
	readonly resize: (resize?: Resize) => void;
	/** Returns true from `erase` until the next frame. */
	readonly isErased: () => boolean;
	/** Writes data unchanged, on request of the user. */
	readonly raw: (data: string) => void;
	/** Writes everything that `change` writes, and the next frame, at once at the end of this turn of the event loop. */
	readonly together: (change: () => void) => void;
	/** Writes data with the rest of `together`, and returns true; false outside of it: then it may be written at once. */
	readonly gather: (data: string) => boolean;
	/** Writes now what `together` has gathered: what comes next must not overtake it. */
	readonly send: () => void;
	readonly size: () => Size;
	/** Returns true if the window is smaller than anything is drawn for. Hold until it is larger: rows would be cut forever. */
	readonly isTooSmall: () => boolean;
};

/**
 * Draws frames between Ink and the terminal; the only module that knows what the terminal shows. Everything from one turn
 * of the event loop (finished lines, the frame, the caret) is written at once, and only the rows that changed. Nothing
 * above the frame is ever erased, moved or written again.
 */
export function createScreen(
	output: ScreenOutput,
	{later = run => setImmediate(run), live = createLiveLines(), ...options}: Options = {},
): Screen {
	const main = createMain(output, options);
	const alternate = createAlternate({onOpen: () => release(), onClose: () => hold()});

	const draw = () => {
		const size = sizeOf(output);
		const data = alternate.isOpen()
			? alternate.draw(main.region(), frame.current(), size)
			: main.draw(frame.current(), size);
		gathered.write(data);
	};

	const gathered = createGathered(output);
	const {schedule, flush, hold, release, isHeld} = createFrameQueue(draw, later);
	const frame = createFrame(live, schedule);
	const {stdout, emitResize} = createInkStdout(output, {onFrame: frame.setRows, flush});
	const send = () => gathered.write('');
	const write = (data: string) => {
		send();
		return gathered.add(data) || output.write(data);
	};
	const update = (next: Region) => {
		main.setRegion(next);
		schedule();
	};

	return {
		stdout,
		print: data => update(appendLines(main.region(), data.split('\n').slice(0, -1))),
		setCaret: frame.setCaret,
		setPrompt: frame.setPrompt,
		limitLive: frame.limitLive,
		flush,
		hold,
		isHeld,
		release() {
			main.showedCursor();
			release();
		},
		erase({keepsAbove} = {keepsAbove: false}) {
			if (!main.isErased()) {
				flush();
				write(main.erase(keepsAbove));
			}

			hold();
			main.setRegion(keepsAbove ? main.region() : forgetAbove(main.region()));
		},
		alternate,
		startOver: sequence => update(startOver(main.region(), sequence)),
		isErased: main.isErased,
		resize(resize = main.region().resize ?? {isPassing: main.region().isPassing}) {
			alternate.forget();
			update({...main.region(), resize});
			emitResize();
		},
		raw(data) {
			flush();
			write(data);
		},
		together(change) {
			gathered.during(change);
			if (gathered.has()) {
				schedule();
				later(send);
			}
		},
		gather: gathered.add,
		send,
		size: () => drawnSizeOf(output),
		isTooSmall: () => isTooSmall(output),
	};
}

/** Gathers what is written together, such as modes of the terminal and the frame that they are switched for. */
function createGathered(output: ScreenOutput) {
	let gathered = '';
	let isGathering = false;

	return {
		add(data: string): boolean {
			gathered += isGathering ? data : '';
			return isGathering;
		},
		/** Writes what was gathered, and data after it, as one update. */
		write(data: string) {
			const all = gathered + data;
			gathered = isGathering ? all : '';
			if (all && !isGathering) {
				output.write(beginSync + all + endSync);
			}
		},
		has: () => gathered !== '',
		during(change: () => void) {
			const before = isGathering;
			isGathering = true;
			try {
				change();
			} finally {
				isGathering = before;
			}
		},
	};
}

/** Creates what is drawn on the normal screen. */
function createMain(
	output: ScreenOutput,
	{reflows = () => true, drawing = plain, sentFrames = () => undefined}: Options,
) {
	let region = emptyRegion(sizeOf(output).columns);
	let isErased = false;
	/** The region as it is since frames went to other rows. */
	const landed = (): Region => {
		const {printed, frame, resize, drawn} = region;
		const found = sentFrames()?.landed();
		return found && !region.prefix
			? {...found, printed, frame, resize, drawn: {...found.drawn, isCursorShown: drawn.isCursorShown}}
			: region;
	};
	/** Returns the bytes of a frame behind the questions that follow it on its way. */
	const followed = (before: Region, kept: number, data: string, size: Size): string =>
		data && !before.prefix ? (sentFrames()?.send({before, kept, data, size}) ?? '') + data : data;
	return {
		region: () => region,
		setRegion(next: Region) {
			region = next;
		},
		/** What had the window may have shown the cursor. */
		showedCursor() {
			region = {...region, drawn: {...region.drawn, isCursorShown: true}};
		},
		/** Returns the bytes that show a frame. */
		draw(frame: Frame, size: Size): string {
			const before = region.resize ? landed() : region;
			const resized = resizeRegion(before, size, reflows);
			const next = drawRegion({...resized, frame}, size, drawing());
			region = next.region;
			isErased = false;
			const kept = resized.above.length;
			return followed({...before, printed: resized.isPassing ? [] : before.printed}, kept, next.data, size);
		},
		isErased: () => isErased,
		/** Returns the bytes that erase the frame. They are followed on their way if the next frame goes to the same place. */
		erase(isFollowed: boolean): string {
			const before = region;
			const size = sizeOf(output);
			const {data, region: erased} = eraseFrame(before, size.rows);
			region = erased;
			isErased = true;
			if (!isFollowed) {
				sentFrames()?.landed();
				return data;
			}

			return followed({...before, printed: []}, before.above.length, data, size);
		},
	};
}

/** Draws at most once a turn of the event loop, and not while it is held. */
function createFrameQueue(draw: () => void, later: (run: () => void) => void) {
	let isHeld = false;
	let isScheduled = false;

	const flush = () => {
		isScheduled = false;
		if (!isHeld) {
			draw();
		}
	};

	const schedule = () => {
		if (!isScheduled && !isHeld) {
			isScheduled = true;
			later(flush);
		}
	};

	return {
		flush,
		schedule,
		isHeld: () => isHeld,
		hold() {
			isHeld = true;
		},
		release() {
			isHeld = false;
			schedule();
		},
	};
}

/**
 * Draws frames on the alternate screen, at its lower end, below the lines that are above them on the normal one. From there a
 * terminal moves nothing to its scrollback when it is resized.
 */
function createAlternate({onOpen, onClose}: {readonly onOpen: () => void; readonly onClose: () => void}) {
	let shown: Drawn | undefined;
	return {
		isOpen: () => shown !== undefined,
		open() {
			shown = nothingDrawn;
			onOpen();
		},
		close() {
			shown = undefined;
			onClose();
		},
		/** Draws all rows of the next frame: something else was drawn there, or the window was resized. */
		forget() {
			shown &&= nothingDrawn;
		},
		/** Returns the bytes that show a frame. */
		draw(region: Region, {rows, caret}: Frame, size: Size): string {
			const before = shown ?? nothingDrawn;
			const above = lastLines(region, size.columns, size.rows - rows.length);
			const frame = {rows: [...above, ...rows], caret: caret && {...caret, row: above.length + caret.row}};
			const next = redraw(before, [], frame, {height: size.rows, insertsLines: true, marks: false});
			shown = next.drawn;
			return (before.rows.length === 0 ? `\u001B[H${eraseDown}` : '') + next.data;
		},
	};
}

/** Returns the last lines above the frame, as at most so many rows. */
function lastLines({earlier, above, back, printed}: Region, columns: number, room: number): readonly string[] {
	const last = room > 0 ? -room : Number.POSITIVE_INFINITY;
	const lines = [...earlier, ...above, ...back, ...printed.slice(last)].filter(line => !isLeftover(line)).slice(last);
	const plain = lines.map(line => line.replace(continues, '').trimEnd());
	return wrapWide(plain, columns).slice(last);
}
