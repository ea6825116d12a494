import type {Size} from '../../store/view-slice.ts';
import {lineWidth} from '../../terminal/text/width.ts';
import {type ScreenOutput, sizeOf} from '../screen/window-size.ts';

/** An output that a screen reader can follow. */
export type PacedOutput = {
	/** Writes after everything that waits. */
	readonly write: (data: string) => void;
	/** Resolves when nothing waits any more. */
	readonly written: () => Promise<void>;
	/** Writes what waits, all at once. */
	readonly flush: () => void;
};

/** Longer than the interval at which screen readers compare the window with what they have read. */
const stepMs = 120;

/**
 * Creates an output that writes a window of rows at most, and the next one a moment later. A screen reader reads what is
 * new in the window: it never learns of rows that were written and scrolled away between two looks. `now` returns the time
 * of a monotonic clock in milliseconds.
 */
export function paceOutput(output: ScreenOutput, now: () => number): PacedOutput {
	let waiting: readonly string[] = [];
	let rows = 0;
	let wroteAt = Number.NEGATIVE_INFINITY;
	let timer: NodeJS.Timeout | undefined;
	let onWritten: readonly (() => void)[] = [];

	const settle = () => {
		for (const resolve of onWritten) {
			resolve();
		}

		onWritten = [];
	};
	const step = () => {
		const {count, taken} = fitting(waiting, rows, sizeOf(output));
		rows += taken;
		output.write(waiting.slice(0, count).join(''));
		wroteAt = now();
		waiting = waiting.slice(count);
		if (waiting.length === 0) {
			return settle();
		}

		timer = setTimeout(() => {
			timer = undefined;
			rows = 0;
			step();
		}, stepMs);
	};

	return {
		write(data) {
			waiting = [...waiting, ...data.split(/(?<=\n)/)];
			if (timer === undefined) {
				rows = now() - wroteAt >= stepMs ? 0 : rows;
				step();
			}
		},
		written: () =>
			waiting.length === 0 ? Promise.resolve() : new Promise(resolve => (onWritten = [...onWritten, resolve])),
		flush() {
			clearTimeout(timer);
			timer = undefined;
			output.write(waiting.join(''));
			waiting = [];
			settle();
		},
	};
}

/** Returns how many lines fit below `used` new rows of a window, and the rows they take. One line fits into an empty window. */
function fitting(
	lines: readonly string[],
	used: number,
	{columns, rows}: Size,
): {readonly count: number; readonly taken: number} {
	let taken = 0;
	for (const [count, line] of lines.entries()) {
		const more = Math.max(1, Math.ceil(lineWidth(line.trimEnd()) / columns));
		// One row is left for the line that is typed at.
		if (used + taken > 0 && used + taken + more > rows - 1) {
			return {count, taken};
		}

		taken += more;
	}

	return {count: lines.length, taken};
}
