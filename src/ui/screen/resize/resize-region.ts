import type {Size} from '../../../store/view-slice.ts';
import {lineWidth} from '../../../terminal/text/width.ts';
import {continues, softWrap, wrapWide} from '../../../terminal/text/wrap.ts';
import {nothingDrawn} from '../live-region.ts';
import {eraseDown, insertDown} from '../pen.ts';
import {lastOf, type Region} from '../region.ts';
import {blanked, deleteDown, isMarked, pullDown} from './frame-mark.ts';

/** Counts the rows that the terminal has for lines. */
type CountRows = (lines: readonly string[]) => number;

/**
 * Begins what stands for a row of an earlier frame, as wide as that. The terminal pushed it up when the window became lower,
 * and pulls it down again when there is room.
 */
const leftover = '\u001B[;;m';
export const isLeftover = (line: string) => line.startsWith(leftover);

/**
 * Moves the cursor to the start of the frame in a resized window, so that the next frame replaces it. Erases also what is
 * in the window again of earlier frames; what was printed below it is written again. `reflows` returns true if the terminal
 * wraps rows that are wider than a narrower window. Returns a region that wasn't resized as it is.
 */
export function resizeRegion(region: Region, {columns, rows}: Size, reflows: () => boolean): Region {
	if (!region.resize) {
		return region;
	}

	const {rewrap, isRecolored, cutAt, row, habits, isPassing = false} = region.resize;
	if (region.prefix) {
		return {...region, printed: wrapWide(region.printed, columns)};
	}

	const countRows: CountRows = lines => (reflows() ? wrappedRows(lines, columns) : lines.length);
	const {drawn, above, back, frame, textColumns} = region;
	const isBlanked = drawn.rows.some(isMarked);
	const erase = isBlanked ? deleteDown : habits?.keepsBreaks ? insertDown : eraseDown;
	const own = blanked(drawn);
	const countDrawn: CountRows = lines => (columns === region.columns ? lines.length : countRows(lines));
	const ownRows = countDrawn(own.slice(0, drawn.at));
	// A terminal moves the cursor only as far up as keeps it in the window.
	const likely = Math.max(ownRows, Math.min(region.near + drawn.at, rows - 1));
	const isBelowKept = habits?.keepsBelow && !isBlanked && row !== undefined;
	const line = isBelowKept ? Math.min(row, rows - countDrawn(own.slice(drawn.at))) : row;
	const top = (line ?? likely) - ownRows;
	const mayPull = habits?.blanksMarked && !isPassing && row !== undefined;
	const height = Math.min(drawn.rows.length, frame.rows.length);
	const highest = rows - height + countRows(above.slice(-rows).filter(isLeftover));
	const pulled = mayPull ? rowsToPull(top, highest, countRows(above)) : 0;
	const widest = cutAt === undefined ? columns : Math.min(cutAt, textColumns, region.cutAt);
	const resized = (start: number, kept: readonly string[], near: number): Region => ({
		...region,
		drawn: nothingDrawn,
		isPassing,
		above: kept,
		near,
		prefix: pullDown(pulled) + moved(start - (row ?? likely)) + erase,
	});
	if (top + pulled < 0) {
		const pushed = pushedUp(own, -top, {countRows, columns});
		const start = (row ?? likely) - (row ?? 0);
		return withAgain(resized(start, [...above, ...pushed], 0), back, {columns, cutAt: widest});
	}

	const room = Math.max(0, top + pulled);
	const known = lastInRows(row === undefined ? lastOf(above, region.near) : above, room, countRows);
	const {fits, isGone} = goneFrom(known, columns, widest);
	const {kept, lines} = rewritten({known, back, isGone: isPassing ? isLeftover : isGone}, real =>
		rewrap && (isRecolored || columns !== textColumns) ? rewrap(real, textColumns) : {count: 0, lines: []},
	);
	const start = top + pulled - countRows(known.slice(kept));
	return withAgain(resized(start, above.slice(0, above.length - known.length + kept), kept), lines, {
		columns,
		cutAt: fits > 0 ? widest : Number.POSITIVE_INFINITY,
	});
}

/** Returns a region with lines to write again: at once, unless the size may change again soon. */
function withAgain(
	region: Region,
	again: readonly string[],
	{columns, cutAt}: {readonly columns: number; readonly cutAt: number},
): Region {
	return region.isPassing
		? {...region, back: again}
		: {...region, back: [], cutAt, printed: wrapWide([...again, ...region.printed], columns)};
}

/**
 * Returns which lines have to be written again because they are leftovers, or cut to `widest`. One that is still too wide
 * stays as the terminal has cut it, and those above it stay where they are: `fits` is the first line below it.
 */
function goneFrom(known: readonly string[], columns: number, widest: number) {
	const fits = known.findLastIndex(line => lineWidth(line) > columns) + 1;
	const isGone = (line: string, index: number) => isLeftover(line) || (index >= fits && lineWidth(line) > widest);
	return {fits, isGone};
}

/** Returns how many rows to pull down: those pushed up of the frame, and of the lines above it as many as there is room for. */
function rowsToPull(top: number, highest: number, aboveRows: number): number {
	const inWindow = Math.max(0, top);
	return inWindow - top + Math.max(0, Math.min(highest, aboveRows) - inWindow);
}

function moved(down: number): string {
	return down === 0 ? '' : `\u001B[${Math.abs(down)}${down > 0 ? 'B' : 'A'}`;
}

/** Returns what stands for the first rows of a frame, as many as the terminal has pushed up. */
function pushedUp(
	lines: readonly string[],
	count: number,
	{countRows, columns}: {readonly countRows: CountRows; readonly columns: number},
): readonly string[] {
	const pushed: string[] = [];
	let left = count;
	for (const line of wholeLines(lines)) {
		const rows = countRows([line]);
		if (left > 0) {
			// Of a line that the window still has the end of, only whole rows were pushed up.
			pushed.push(leftover + ' '.repeat(rows <= left ? lineWidth(line) : left * columns));
		}

		left -= rows;
	}

	return pushed;
}

/** Returns lines without breaks where a row continues. */
function wholeLines(rows: readonly string[]): readonly string[] {
	const lines: string[] = [];
	let line = '';
	for (const row of rows) {
		line += row.replace(continues, '');
		if (!row.endsWith(continues)) {
			lines.push(line);
			line = '';
		}
	}

	return line === '' ? lines : [...lines, line];
}

/** Returns the last lines that take at most that many rows. Rows of one line stay together. */
function lastInRows(lines: readonly string[], room: number, countRows: CountRows): readonly string[] {
	let from = lines.length;
	for (let left = room; from > 0; ) {
		const start = lines.slice(0, from - 1).findLastIndex(line => !line.endsWith(continues)) + 1;
		left -= countRows(lines.slice(start, from));
		if (left < 0) {
			break;
		}

		from = start;
	}

	return lines.slice(from);
}

/** Returns how many of the known lines stay, and those that replace the others: without leftovers, and at the new width. */
function rewritten(
	{
		known,
		back,
		isGone,
	}: {
		readonly known: readonly string[];
		readonly back: readonly string[];
		/** True for a line that a terminal has cut, or that is a leftover. */
		readonly isGone: (line: string, index: number) => boolean;
	},
	rewrap: (lines: readonly string[]) => {readonly count: number; readonly lines: readonly string[]},
) {
	const all = [...known, ...back];
	const real = all.filter(line => !isLeftover(line));
	const {count, lines} = rewrap(real);
	let from = all.length;
	for (let left = count; left > 0; left -= isLeftover(all[from] ?? '') ? 0 : 1) {
		from--;
	}

	const first = known.findIndex(isGone);
	const kept = Math.min(first === -1 ? from : Math.min(first, from), known.length);
	const below = all.slice(kept).filter(line => !isLeftover(line));
	return {kept, lines: [...below.slice(0, below.length - count), ...lines]};
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
