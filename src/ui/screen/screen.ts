import {continues} from '../../terminal/text/wrap.ts';
import {createInkStdout} from './ink-stdout.ts';
import {createLiveLines, type LiveLines} from './live-lines.ts';
import type {Caret, Frame, Prompt} from './live-region.ts';
import {
	appendLines,
	type DrawingOptions,
	drawRegion,
	emptyRegion,
	eraseFrame,
	type Region,
	type Resize,
	startOver,
} from './region.ts';
import {resizeRegion} from './resize/resize-region.ts';
import {drawnSizeOf, isTooSmall, type ScreenOutput, sizeOf} from './window-size.ts';

type Options = {
	/** Runs a function at the end of this turn of the event loop. */
	readonly later?: ((run: () => void) => void) | undefined;
	/** Returns true if the terminal wraps rows that are wider than a narrower window, as most do. */
	readonly reflows?: () => boolean;
	/** Returns how frames are drawn. By default lines are inserted and deleted, and there are no marks. */
	readonly drawing?: () => DrawingOptions;
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
	/** Erases the frame, moves the cursor to its start, and holds. With `keepsAbove`, nobody else writes there meanwhile. */
	readonly erase: (how?: {readonly keepsAbove: boolean}) => void;
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
	readonly size: () => {readonly columns: number; readonly rows: number};
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
	{later = run => setImmediate(run), reflows = () => true, drawing = plain, live = createLiveLines()}: Options = {},
): Screen {
	let region = emptyRegion(sizeOf(output).columns);
	let isErased = false;

	const draw = () => {
		const size = sizeOf(output);
		const next = drawRegion({...resizeRegion(region, size, reflows), frame: frame.current()}, size, drawing());
		region = next.region;
		isErased = false;
		if (next.data) {
			output.write(beginSync + next.data + endSync);
		}
	};

	const {schedule, flush, hold, release} = createFrameQueue(draw, later);
	const frame = createFrame(live, schedule);
	const {stdout, emitResize} = createInkStdout(output, {onFrame: frame.setRows, flush});
	const update = (next: Region) => {
		region = next;
		schedule();
	};

	return {
		stdout,
		print: data => update(appendLines(region, data.split('\n').slice(0, -1))),
		...{setCaret: frame.setCaret, setPrompt: frame.setPrompt, limitLive: frame.limitLive},
		flush,
		hold,
		release() {
			// What had the window may have shown the cursor.
			region = {...region, drawn: {...region.drawn, isCursorShown: true}};
			release();
		},
		erase({keepsAbove} = {keepsAbove: false}) {
			if (!isErased) {
				flush();
				const next = eraseFrame(region, sizeOf(output).rows, keepsAbove);
				region = next.region;
				hold();
				isErased = true;
				output.write(next.data);
			}
		},
		startOver: sequence => update(startOver(region, sequence)),
		isErased: () => isErased,
		resize(resize = region.resize ?? {rewrap: undefined}) {
			update({...region, resize});
			emitResize();
		},
		raw(data) {
			flush();
			output.write(data);
		},
		size: () => drawnSizeOf(output),
		isTooSmall: () => isTooSmall(output),
	};
}

/** Creates what is drawn: the live lines above what Ink drew last, which has the prompt over it. */
function createFrame(live: LiveLines, onChange: () => void) {
	let below: Frame = {rows: [], caret: undefined};
	let prompt: Prompt | undefined;
	let liveRowsFor = (_lines: number) => 0;
	const change = (next: Partial<Frame>) => {
		below = {...below, ...next};
		onChange();
	};

	live.subscribe(onChange);
	return {
		current(): Frame {
			const all = live.getState();
			const lines = all.slice(all.length - liveRowsFor(all.length)).map(line => line.replace(continues, '').trimEnd());
			const {rows, caret} = prompt ? withPrompt(below, prompt) : below;
			return {rows: [...lines, ...rows], caret: caret && {...caret, row: lines.length + caret.row}};
		},
		setRows: (rows: readonly string[]) => change({rows}),
		setCaret: (caret: Caret | undefined) => change({caret}),
		setPrompt(next: Prompt) {
			prompt = next;
			onChange();
		},
		limitLive(rowsFor: (lines: number) => number) {
			liveRowsFor = rowsFor;
			onChange();
		},
	};
}

/** Returns a frame with the prompt over its rows, unless it was not laid out for one yet. */
function withPrompt({rows, caret}: Frame, {row, focused, draw}: Prompt): Frame {
	const drawn = draw();
	const end = row + drawn.rows.length;
	const own = drawn.caret && {...drawn.caret, row: row + drawn.caret.row};
	return {
		rows: end <= rows.length ? [...rows.slice(0, row), ...drawn.rows, ...rows.slice(end)] : rows,
		caret: focused ? own : caret,
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
		hold() {
			isHeld = true;
		},
		release() {
			isHeld = false;
			schedule();
		},
	};
}
