import {lineWidth} from '../../terminal/text/width.ts';
import {continues, softWrap, wrapLine} from '../../terminal/text/wrap.ts';
import {eraseDown} from './erase.ts';
import {type Drawn, type Frame, nothingDrawn, redraw} from './live-region.ts';
import type {Rewrapped} from './written.ts';

type Size = {readonly columns: number; readonly rows: number};

/** What the terminal can do. */
type Abilities = {
	/** Returns true if it wraps rows that are wider than a narrower window, as most do. */
	readonly reflows: () => boolean;
	/** It inserts and deletes lines. */
	readonly insertsLines: boolean;
};

/** What the terminal shows, and what to write next. */
export type Region = {
	/** The frame at the lower end. */
	readonly drawn: Drawn;
	/** The width of the window when the frame was drawn. */
	readonly columns: number;
	/** The lines above the frame that are certainly still in the window. */
	readonly above: readonly string[];
	/** The next frame. */
	readonly frame: Frame;
	/** New lines to write above the frame. */
	readonly printed: readonly string[];
	/** A sequence to write before everything else. */
	readonly prefix: string;
	/** The window was resized since the frame was drawn, or has other colours. */
	readonly resize: {readonly rewrap: Rewrap | undefined; readonly isRecolored?: boolean | undefined} | undefined;
};

/** Draws the last of these lines, drawn at `oldWidth`, at the current width. */
export type Rewrap = (lines: readonly string[], oldWidth: number) => Rewrapped;

export function emptyRegion(columns: number): Region {
	const frame = {rows: [], caret: undefined};
	return {drawn: nothingDrawn, columns, above: [], frame, printed: [], prefix: '', resize: undefined};
}

/** Returns the bytes that show the next frame below the new lines, and the region after writing them. */
export function drawRegion(
	region: Region,
	size: Size,
	{reflows, insertsLines}: Abilities,
): {readonly data: string; readonly region: Region} {
	const {drawn, above, frame, printed, prefix} = region.resize
		? resizeRegion(region, size, {...region.resize, reflows: reflows()})
		: region;
	const next = redraw(drawn, withMarks(printed, size.columns), frame, {height: size.rows, insertsLines});
	const room = size.rows - next.drawn.rows.length;
	const all = printed.length > 0 ? [...above, ...printed] : above;
	return {
		data: prefix + next.data,
		region: {
			drawn: next.drawn,
			columns: size.columns,
			above: lastOf(all, room),
			frame,
			printed: [],
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
function lastOf(rows: readonly string[], count: number): readonly string[] {
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
	const {data, drawn} = redraw(region.drawn, [], frame, {height: rows, insertsLines: false});
	return {data, region: {...region, drawn}};
}

/** Forgets the frame: the next one is drawn at the cursor, after `sequence`. */
export function startOver(region: Region, sequence: string): Region {
	return {...region, prefix: sequence, drawn: nothingDrawn, above: []};
}

type Resize = {
	readonly rewrap: Rewrap | undefined;
	/** True if lines of the same width look different. */
	readonly isRecolored?: boolean | undefined;
	/** True if the terminal wraps rows that are wider than a narrower window. */
	readonly reflows: boolean;
};

/** Moves the cursor to the start of the frame in a resized window, so that the next frame replaces it. */
function resizeRegion(region: Region, {columns, rows}: Size, {rewrap, isRecolored, reflows}: Resize): Region {
	// Lines printed before the new size was known may be too wide.
	const printed = region.printed.flatMap(line => (lineWidth(line) > columns ? wrapLine(line, columns) : line));
	if (region.prefix) {
		return {...region, printed};
	}

	const countRows = (lines: readonly string[]) => (reflows ? wrappedRows(lines, columns) : lines.length);
	const {drawn} = region;
	const frameRows = columns < region.columns ? countRows(drawn.rows.slice(0, drawn.at)) : drawn.at;
	// A terminal moves the cursor only as far up as keeps it in the window.
	const room = Math.min(region.above.length + drawn.at, rows - 1) - frameRows;
	const rewrapped =
		rewrap && (isRecolored || columns !== region.columns)
			? rewrapAbove(region, {rewrap, room, countRows})
			: {above: region.above, lines: [], rows: 0};
	const up = frameRows + rewrapped.rows;
	return {
		...region,
		drawn: nothingDrawn,
		above: rewrapped.above,
		printed: [...rewrapped.lines, ...printed],
		prefix: `${up > 0 ? `\u001B[${up}A` : ''}${eraseDown}`,
	};
}

type Above = {
	readonly rewrap: Rewrap;
	/** Rows above the frame that the cursor can reach. */
	readonly room: number;
	readonly countRows: (lines: readonly string[]) => number;
};

/** Returns the last lines above the frame at the new width, those that stay, and the rows that the old ones take. */
function rewrapAbove({above, columns}: Region, {rewrap, room, countRows}: Above) {
	let known = above;
	while (known.length > 0 && countRows(known) > room) {
		known = lastOf(above, known.length - 1);
	}

	const {count, lines} = rewrap(known, columns);
	const kept = above.length - count;
	return {above: above.slice(0, kept), lines, rows: countRows(above.slice(kept))};
}

/** Returns the number of rows that a terminal breaks lines into. Rows of one line are joined before. */
function wrappedRows(lines: readonly string[], columns: number): number {
	let count = 0;
	let line = '';
	for (const row of lines) {
		line += row;
		if (!row.endsWith(continues)) {
			const width = lineWidth(line);
			// Only a wide character may leave a cell blank, and only joined rows are broken at other places.
			count += width <= columns ? 1 : line === row ? Math.ceil(width / columns) : softWrap(line, columns).length;
			line = '';
		}
	}

	return line === '' ? count : count + 1;
}
