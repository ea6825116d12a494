import {createChangedRows} from './changed-rows.ts';

type Output = {
	readonly write: (data: string) => unknown;
	readonly columns?: number;
	readonly rows?: number;
	readonly isTTY?: boolean;
	readonly on?: (event: string, listener: () => void) => unknown;
	readonly off?: (event: string, listener: () => void) => unknown;
};

/** Erases the scrollback: the user's own history, which is not ours to take. */
const eraseScrollback = /\u001B\[3J/g;
/** What is written between the two appears at once, where the terminal knows them (synchronized output). */
export const beginSync = '\u001B[?2026h';
export const endSync = '\u001B[?2026l';
const innerSync = /\u001B\[\?2026[hl]/g;

export type Screen = {
	/** What Ink is given as its standard output. */
	readonly stdout: NodeJS.WriteStream;
	/** Writes what was gathered, now; before the process leaves or the terminal changes hands. */
	readonly flush: () => void;
	/** Tells Ink that the window has another size. It hears of it from us alone, when the store knows it too. */
	readonly emitResize: () => void;
	/** From here on what Ink writes goes nowhere: something else has the window. */
	readonly hold: () => void;
	/** Ink has the window again, which does not show what it believes. */
	readonly release: () => void;
	/** Writes around the filter, for what the user asked for. */
	readonly raw: (data: string) => void;
	readonly size: () => {readonly columns: number; readonly rows: number};
};

const smallest = {columns: 20, rows: 5};

/**
 * Stands between Ink and the terminal. Everything that is written in one turn of the loop (finished lines, the redrawn
 * live region, the caret) leaves as one synchronized write, so that no half-drawn frame is ever seen; rows of the live
 * region that did not change stay away from it, and so does the sequence that would erase the user's scrollback (Ink
 * writes it when a frame is as tall as the window).
 */
export function createScreen(output: Output, later: (run: () => void) => void = run => setImmediate(run)): Screen {
	const changedRows = createChangedRows();
	let waiting: string[] = [];
	let isHeld = false;
	const resizeListeners = new Set<() => void>();

	const flush = () => {
		if (waiting.length > 0) {
			const writes = waiting.map(data => data.replace(innerSync, '')).filter(Boolean);
			waiting = [];
			const data = changedRows.shorten(writes).replace(eraseScrollback, '');
			if (data) {
				output.write(beginSync + data + endSync);
			}
		}
	};

	const write = (data: string | Uint8Array, ...rest: unknown[]) => {
		if (waiting.length === 0 && !isHeld) {
			later(flush);
		}

		if (!isHeld) {
			waiting.push(typeof data === 'string' ? data : Buffer.from(data).toString('utf8'));
		}

		const done = rest.find(argument => typeof argument === 'function');
		if (done) {
			// Ink waits for its last write before it says that it has ended.
			flush();
			done();
		}

		return true;
	};

	const size = () => ({
		columns: Math.max(smallest.columns, output.columns || 80),
		rows: Math.max(smallest.rows, output.rows || 24),
	});

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
					return size()[name];
				default: {
					const value: unknown = Reflect.get(target, name, target);
					return typeof value === 'function' ? value.bind(target) : value;
				}
			}
		},
	}) as NodeJS.WriteStream;

	return {
		stdout,
		flush,
		emitResize() {
			changedRows.forget();
			for (const listener of resizeListeners) {
				listener();
			}
		},
		hold() {
			flush();
			changedRows.forget();
			isHeld = true;
		},
		release() {
			isHeld = false;
		},
		raw(data) {
			flush();
			changedRows.forget();
			output.write(data);
		},
		size,
	};
}
