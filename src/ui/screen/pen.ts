/**
 * Erases from the start of the cursor's row to the end of the window. Not at once: tmux takes an erasure from the top left
 * corner for a cleared screen, and moves what it showed to its scrollback.
 */
export const eraseDown = '\r\u001B[K\u001B[C\u001B[J\r';

/** Inserts blank rows instead of all from the cursor's down. Deleting those would move them to the scrollback of GNU Screen. */
export const insertDown = '\r\u001B[999L';

export type Pen = {
	readonly goTo: (row: number) => void;
	/** Writes data that moves the cursor down by that many rows. */
	readonly write: (data: string, down?: number) => void;
	readonly row: () => number;
	/** Returns true if the cursor was in another row. */
	readonly hasLeft: () => boolean;
	readonly out: () => string;
};

/** Collects output and tracks the row of the cursor, relative to the first row of the frame. */
export function createPen(at: number): Pen {
	let row = at;
	/** The lowest row where the cursor has been. */
	let lowest = at;
	let out = '';
	let hasLeft = false;
	return {
		goTo(next) {
			hasLeft ||= next !== row;
			out += next < row ? `\u001B[${row - next}A` : '';
			const known = Math.min(next, lowest);
			out += known > row ? `\u001B[${known - row}B` : '';
			// If the window was resized meanwhile, there may be fewer rows below: a newline adds one.
			out += '\n'.repeat(Math.max(0, next - Math.max(row, lowest)));
			row = next;
			lowest = Math.max(lowest, row);
		},
		write(data, down = 0) {
			out += data;
			row += down;
			lowest = Math.max(lowest, row);
			hasLeft ||= down > 0;
		},
		row: () => row,
		hasLeft: () => hasLeft,
		out: () => out,
	};
}
