import type {Size} from '../../store/view-slice.ts';
import type {RowHabits} from '../../terminal/row-habits.ts';
import {lineWidth} from '../../terminal/text/width.ts';
import {continues} from '../../terminal/text/wrap.ts';
import {type Drawn, type Frame, nothingDrawn, type Redrawing, redraw} from './live-region.ts';
import {deleteDown, isMarked} from './resize/frame-mark.ts';
import type {Rewrapped} from './written.ts';

/** What the terminal shows, and what to write next. */
export type Region = {
	/** The frame at the lower end. */
	readonly drawn: Drawn;
	/** The width of the window when the frame was drawn. */
	readonly columns: number;
	/** The width that the lines above the frame were drawn for. */
	readonly textColumns: number;
	/** The last lines above the frame, with what the terminal has pushed up of earlier frames (`leftover`). */
	readonly above: readonly string[];
	/** How many of these, from the last one up, are certainly still in the window. */
	readonly near: number;
	/** The narrowest width that the terminal has cut some of them to, which are not written again yet; infinity for none. */
	readonly cutAt: number;
	/** The last lines before those, which the terminal has elsewhere: another program wrote below them. */
	readonly earlier: readonly string[];
	/** Lines that were printed where the frame is by now, to print again above it. */
	readonly back: readonly string[];
	/** The next frame. */
	readonly frame: Frame;
	/** New lines to write above the frame. */
	readonly printed: readonly string[];
	/** A sequence to write before everything else. */
	readonly prefix: string;
	/** The window was resized since the frame was drawn, or has other colours. */
	readonly resize: Resize | undefined;
	/** True while the size of the window may change again: frames are drawn, but lines are kept until the next resize. */
	readonly isPassing: boolean;
};

export type Resize = {
	readonly rewrap?: Rewrap | undefined;
	/** True if the size may change again soon. What is printed then may go to other rows, so nothing is. */
	readonly isPassing?: boolean;
	/** True if lines of the same width look different. */
	readonly isRecolored?: boolean | undefined;
	/** The row of the cursor in the window, from 0, as the terminal has told it. */
	readonly row?: number | undefined;
	/** The narrowest width since the frame was drawn, in a terminal that cuts rows there. */
	readonly cutAt?: number | undefined;
	/** What the terminal does with its rows; undefined if it wasn't asked for the place of the cursor. */
	readonly habits?: RowHabits | undefined;
};

export type DrawingOptions = Omit<Redrawing, 'height'>;

/** The most lines above the frame that are kept: more than windows have rows. */
const maxAbove = 300;

/** Draws the last of these lines, drawn at `oldWidth`, at the current width. */
export type Rewrap = (lines: readonly string[], oldWidth: number) => Rewrapped;

export function emptyRegion(columns: number): Region {
	const frame = {rows: [], caret: undefined};
	return {
		drawn: nothingDrawn,
		columns,
		textColumns: columns,
		above: [],
		near: 0,
		cutAt: Number.POSITIVE_INFINITY,
		earlier: [],
		back: [],
		frame,
		printed: [],
		prefix: '',
		resize: undefined,
		isPassing: false,
	};
}

/** Returns the bytes that show the next frame below the new lines, and the region after writing them. */
export function drawRegion(
	region: Region,
	size: Size,
	drawing: DrawingOptions,
): {readonly data: string; readonly region: Region} {
	const {above, near, frame, isPassing} = region;
	const printed = isPassing ? [] : region.printed;
	const next = redraw(region.drawn, withMarks(printed, size.columns), frame, {height: size.rows, ...drawing});
	const room = size.rows - next.drawn.rows.length;
	const all = printed.length > 0 ? [...above, ...printed] : above;
	return {
		data: region.prefix + next.data,
		region: {
			...region,
			drawn: next.drawn,
			columns: size.columns,
			textColumns: isPassing ? region.textColumns : size.columns,
			above: lastOf(all, maxAbove),
			near: lastOf(all, Math.min(near + printed.length, room)).length,
			printed: isPassing ? region.printed : [],
			prefix: '',
			resize: undefined,
		},
	};
}

/** Returns rows of which only those that fill the window have the mark that they continue in the next row. */
function withMarks(rows: readonly string[], columns: number): readonly string[] {
	const isFull = (row: string, index: number) => index < rows.length - 1 && lineWidth(row) === columns;
	return rows.map((row, index) => (row.endsWith(continues) && !isFull(row, index) ? row.replace(continues, '') : row));
}

/** Returns at most the last `count` rows, from the beginning of a line. */
export function lastOf(rows: readonly string[], count: number): readonly string[] {
	let from = Math.max(0, rows.length - Math.max(0, count));
	while (from > 0 && from < rows.length && rows[from - 1]?.endsWith(continues)) {
		from++;
	}

	return from === 0 ? rows : rows.slice(from);
}

/** Returns the region with new lines to write above the frame. */
export function appendLines(region: Region, lines: readonly string[]): Region {
	return {...region, printed: [...region.printed, ...lines]};
}

/** Returns the bytes that erase the frame and move the cursor to its start. */
export function eraseFrame(region: Region, rows: number): {readonly data: string; readonly region: Region} {
	const frame = {rows: [], caret: {row: 0, column: 0}};
	const {data, drawn} = redraw(region.drawn, [], frame, {height: rows, insertsLines: false, marks: false});
	return {data, region: {...region, drawn}};
}

/** Forgets the lines above the frame, because something else was written below them. */
export function forgetAbove(region: Region): Region {
	const {earlier, above} = region;
	return {...region, above: [], near: 0, earlier: lastOf([...earlier, ...above], maxAbove)};
}

/** Forgets the frame: the next one is drawn at the cursor, after `sequence`. */
export function startOver(region: Region, sequence: string): Region {
	const prefix = isMarked(region.drawn.rows[0]) ? sequence + deleteDown : sequence;
	const {printed, frame} = region;
	return {...emptyRegion(region.columns), prefix, printed, frame, resize: region.resize};
}
