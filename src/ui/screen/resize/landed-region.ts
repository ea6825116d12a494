import {continues} from '../../../terminal/text/wrap.ts';
import type {Region} from '../region.ts';
import {applyFrame} from './apply-frame.ts';
import type {Size} from './questions.ts';
import {isLeftover} from './resize-region.ts';
import {linesOf, ownRow, rewrapRows, rowsOf, type ShownRows} from './shown-rows.ts';

/** A frame on its way to the terminal. */
export type SentFrame = {
	/** What the terminal shows before it, and the lines that it prints. */
	readonly before: Region;
	/** How many of the lines above the frame before it are left alone. */
	readonly kept: number;
	readonly data: string;
	/** The size of the window that it is drawn for. */
	readonly size: Size;
};

/** A frame with the row of the cursor, from 0, and the size of the window before it, as the terminal tells them. */
export type LandedFrame = SentFrame & {readonly row: number | undefined; readonly arrivedAt: Size | undefined};

/** What a terminal does with rows that continue in the next one (`joinsRows`, `keepsBreaks`). */
export type Habits = {readonly joins: boolean; readonly keepsBreaks: boolean};

/** The most lines above a frame that may be in a window. */
const maxAbove = 150;

/**
 * Returns what the terminal shows after frames that arrived at other sizes than they were drawn for. What they left of the
 * frame before them, printed and drew is the frame of the region; the lines in it that were printed are its `back`.
 */
export function landedRegion(frames: readonly [LandedFrame, ...LandedFrame[]], {joins, keepsBreaks}: Habits): Region {
	const [{before, kept, size}] = frames;
	const shown = shownBefore(before, size.rows, keepsBreaks);
	for (const {data, row, arrivedAt} of frames) {
		rewrapRows(shown, arrivedAt ?? {columns: shown.columns, rows: shown.height});
		shown.top = row === undefined ? shown.top : shown.y - row;
		applyFrame(shown, data, joins);
	}

	const cut = Math.min(kept, before.above.length, shown.touched, shown.rows[shown.y]?.source ?? ownRow);
	const start = Math.min(
		shown.y,
		shown.rows.findIndex(({source}) => source >= cut),
	);
	const at = shown.y - start;
	const printed = frames.flatMap(frame => frame.before.printed);
	const lines = [...before.above.slice(cut), ...before.back, ...printed];
	return {
		...before,
		drawn: {rows: linesOf(shown.rows.slice(start)), caret: {row: at, column: shown.x}, at, isCursorShown: true},
		columns: shown.columns,
		above: before.above.slice(0, cut),
		near: Math.max(0, before.near - (before.above.length - cut)),
		printed: [],
		prefix: '',
		back: lines.filter(line => !isLeftover(line)),
	};
}

/** Returns the rows of a region: those of the last lines above its frame, each with its index as the source, and of the frame. */
function shownBefore({above, drawn, columns}: Region, height: number, keepsBreaks: boolean): ShownRows {
	const from = Math.max(0, above.length - maxAbove);
	// Only a full row continues, and the last one above the frame doesn't.
	const lines = above.slice(from).map((text, index) => ({text, source: from + index}));
	const own = (drawn.rows.length > 0 ? drawn.rows : ['']).map(text => ({text, source: ownRow}));
	const last = lines.pop();
	const all = last ? [...lines, {...last, text: last.text.replace(continues, '')}, ...own] : own;
	return {
		rows: rowsOf(all, columns),
		x: drawn.caret?.column ?? 0,
		y: above.length - from + drawn.at,
		top: undefined,
		columns,
		height,
		wraps: false,
		keepsBreaks,
		touched: ownRow,
	};
}
