import {lineWidth} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {type Caret, nothingDrawn, redraw} from './live-region.ts';
import {drawnSizeOf, isTooSmall, type ScreenOutput, sizeOf} from './window-size.ts';
import type {Rewrapped} from './written.ts';

/** Gives other lines for the last ones of these, which were drawn at that width. */
type Rewrap = (lines: readonly string[], before: number) => Rewrapped;

type Options = {
	/** Runs something at the end of this turn of the loop. */
	readonly later?: ((run: () => void) => void) | undefined;
	/** Returns true where the terminal breaks rows that are wider than a window made narrower, as most do. */
	readonly reflows?: () => boolean;
};

/** What is written between the two appears at once, where the terminal knows them (synchronized output). */
export const beginSync = '\u001B[?2026h';
export const endSync = '\u001B[?2026l';

export type Screen = {
	/** What Ink is given as its standard output. In its debug mode it writes each frame there, whole and alone. */
	readonly stdout: NodeJS.WriteStream;
	/** Puts finished lines, each with its newline, above what Ink draws, where they become the terminal's own scrollback. */
	readonly print: (data: string) => void;
	/** Puts the terminal's cursor there in the next frame, from the top left of what Ink draws; undefined hides it. */
	readonly setCaret: (caret: Caret | undefined) => void;
	/** Writes what was gathered, now; before the process leaves or the terminal changes hands. */
	readonly flush: () => void;
	/** From here on nothing is written until `release`: something else has the window, or its size is not known. */
	readonly hold: () => void;
	readonly release: () => void;
	/** Takes what Ink drew from the screen, with the cursor where it began, and holds. */
	readonly erase: () => void;
	/** Draws all of the frame where the cursor is, behind `sequence`: nothing of what was drawn stands there any more. */
	readonly startOver: (sequence: string) => void;
	/**
	 * Draws all of the frame again in its place after the window got another size, of which it tells Ink. `rewrap` may give
	 * other lines for the last ones of those above, which were drawn at another width and are in the window for sure.
	 */
	readonly resize: (rewrap?: Rewrap) => void;
	/** True from `erase` on until something is drawn again. */
	readonly isErased: () => boolean;
	/** Writes as it is, for what the user asked for. */
	readonly raw: (data: string) => void;
	readonly size: () => {readonly columns: number; readonly rows: number};
	/** True in a window in which rows of the least size would be cut for ever: it is to be held until it is larger. */
	readonly isTooSmall: () => boolean;
};

/**
 * Stands between Ink and the terminal, and alone knows what that shows. Everything that comes in one turn of the loop
 * (finished lines, the frame, the caret) leaves as one synchronized write of the rows that changed. Nothing above the
 * frame is ever erased, moved or written again.
 */
export function createScreen(
	output: ScreenOutput,
	{later = run => setImmediate(run), reflows = () => true}: Options = {},
): Screen {
	let rows: readonly string[] = [];
	let caret: Caret | undefined;
	let printed: string[] = [];
	let drawn = nothingDrawn;
	/** How wide the window was when that was drawn. */
	let drawnColumns = sizeOf(output).columns;
	/** The printed lines that are in the window for sure, right above what is drawn. */
	let above: readonly string[] = [];
	/** Written before the next frame. */
	let prefix = '';
	/** The window has another size than when that was drawn. */
	let resized: {readonly rewrap: Rewrap | undefined} | undefined;
	let isHeld = false;
	let isWaiting = false;
	let isErased = false;
	const resizeListeners = new Set<() => void>();

	const flush = () => {
		isWaiting = false;
		if (isHeld) {
			return;
		}

		if (resized) {
			drawInPlace(resized.rewrap);
		}

		const next = redraw(drawn, printed, {rows, caret}, sizeOf(output).rows);
		const data = prefix + next.data;
		drawn = next.drawn;
		drawnColumns = sizeOf(output).columns;
		const room = sizeOf(output).rows - drawn.rows.length;
		above = room > 0 ? [...above, ...printed].slice(-room) : [];
		printed = [];
		prefix = '';
		isErased = false;
		if (data) {
			output.write(beginSync + data + endSync);
		}
	};

	const schedule = () => {
		if (!isWaiting && !isHeld) {
			isWaiting = true;
			later(flush);
		}
	};

	const write = (data: string | Uint8Array, ...rest: unknown[]) => {
		const text = typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
		if (text) {
			rows = text.split('\n');
			schedule();
		}

		const done = rest.find(argument => typeof argument === 'function');
		if (done) {
			// Ink waits for its last write before it says that it has ended.
			flush();
			done();
		}

		return true;
	};

	const startOver = (sequence: string) => {
		prefix = sequence;
		drawn = nothingDrawn;
		above = [];
		schedule();
	};

	/** How many rows of the window lines take that were drawn in a wider one. */
	const rowsOf = (lines: readonly string[]) => {
		const columns = sizeOf(output).columns;
		const rowsOfLine = (line: string) => (reflows() ? Math.max(1, Math.ceil(lineWidth(line) / columns)) : 1);
		return lines.reduce((sum, line) => sum + rowsOfLine(line), 0);
	};

	/** Takes lines back that would be broken otherwise. Returns how many rows above the frame they take. */
	const takeBack = (rewrap: Rewrap, up: number): number => {
		// No terminal moves the cursor up but to keep it in the window.
		const room = Math.min(above.length + drawn.at, sizeOf(output).rows - 1) - up;
		let known = above.length;
		while (known > 0 && rowsOf(above.slice(above.length - known)) > room) {
			known--;
		}

		const {count, lines} = rewrap(above.slice(above.length - known), drawnColumns);
		const taken = above.slice(above.length - count);
		above = above.slice(0, above.length - count);
		printed.unshift(...lines);
		return rowsOf(taken);
	};

	/** Goes back to where the frame begins; only a narrower window makes several rows of one. */
	const drawInPlace = (rewrap: Rewrap | undefined) => {
		const columns = sizeOf(output).columns;
		// Lines that came while the size was not known were drawn for the one before.
		printed = printed.flatMap(line => (lineWidth(line) > columns ? wrapLine(line, columns) : line));
		resized = undefined;
		if (prefix) {
			return;
		}

		const inFrame = columns < drawnColumns ? rowsOf(drawn.rows.slice(0, drawn.at)) : drawn.at;
		const up = inFrame + (rewrap && columns !== drawnColumns ? takeBack(rewrap, inFrame) : 0);
		prefix = `${up > 0 ? `\u001B[${up}A` : ''}\r\u001B[J`;
		drawn = nothingDrawn;
	};

	const stdout = new Proxy(output, {
		get(target, name) {
			switch (name) {
				case 'write':
					return write;
				case 'on':
				case 'off':
					return (event: string, listener: () => void) => {
						if (event === 'resize') {
							resizeListeners[name === 'on' ? 'add' : 'delete'](listener);
						} else {
							target[name]?.(event, listener);
						}
					};
				case 'columns':
				case 'rows':
					return drawnSizeOf(output)[name];
				default: {
					const value: unknown = Reflect.get(target, name, target);
					return typeof value === 'function' ? value.bind(target) : value;
				}
			}
		},
	}) as NodeJS.WriteStream;

	return {
		stdout,
		print(data) {
			printed.push(...data.split('\n').slice(0, -1));
			schedule();
		},
		setCaret(next) {
			caret = next;
			schedule();
		},
		flush,
		hold() {
			isHeld = true;
		},
		release() {
			isHeld = false;
			// Whoever had the window may have shown it.
			drawn = {...drawn, isCursorShown: true};
			schedule();
		},
		erase() {
			if (isErased) {
				return;
			}

			flush();
			const {data, drawn: left} = redraw(drawn, [], {rows: [], caret: {row: 0, column: 0}}, sizeOf(output).rows);
			drawn = left;
			isHeld = true;
			isErased = true;
			output.write(data);
		},
		startOver,
		isErased: () => isErased,
		resize(rewrap) {
			resized = {rewrap: rewrap ?? resized?.rewrap};
			schedule();
			for (const listener of resizeListeners) {
				listener();
			}
		},
		raw(data) {
			flush();
			output.write(data);
		},
		size: () => drawnSizeOf(output),
		isTooSmall: () => isTooSmall(output),
	};
}
