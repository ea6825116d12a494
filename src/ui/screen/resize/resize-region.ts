import {lineWidth} from '../../../terminal/text/width.ts';
import {continues, softWrap, wrapLine} from '../../../terminal/text/wrap.ts';
import {eraseDown} from '../erase.ts';
import {nothingDrawn} from '../live-region.ts';
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
export function resizeRegion(
	region: Region,
	{columns, rows}: {readonly columns: number; readonly rows: number},
	reflows: () => boolean,
): Region {
	if (!region.resize) {
		return region;
	}

	const {rewrap, isRecolored, cutAt, row, keepsBelow = false, pullsDown = false} = region.resize;
	// Lines printed before the new size was known may be too wide.
	const printed = fitted(region.printed, columns);
	if (region.prefix) {
		return {...region, printed};
	}

	const countRows: CountRows = lines => (reflows() ? wrappedRows(lines, columns) : lines.length);
	const {drawn, above, back, frame} = region;
	const isBlanked = drawn.rows.some(isMarked);
	const erase = isBlanked ? deleteDown : eraseDown;
	const own = blanked(drawn);
	const isRewrapped = back ? columns !== region.columns : columns < region.columns;
	const countDrawn: CountRows = lines => (isRewrapped ? countRows(lines) : lines.length);
	const ownRows = countDrawn(own.slice(0, drawn.at));
	// A terminal moves the cursor only as far up as keeps it in the window.
	const likely = Math.max(ownRows, Math.min(region.near + drawn.at, rows - 1));
	const isBelowKept = keepsBelow && !isBlanked && row !== undefined;
	const line = isBelowKept ? Math.min(row, rows - countDrawn(own.slice(drawn.at))) : row;
	const top = (line ?? likely) - ownRows;
	const highest = rows - Math.min(drawn.rows.length, frame.rows.length);
	const pulled = pullsDown && row !== undefined ? rowsToPull(top, highest, countRows(above)) : 0;
	const resized = {...region, drawn: nothingDrawn, back: undefined};
	const widest = cutAt === undefined ? columns : Math.min(cutAt, region.columns, region.cutAt);
	if (top + pulled < 0) {
		const pushed = pushedUp(own, -top, {countRows, columns});
		const again = [...fitted(back?.lines ?? [], columns), ...printed];
		const prefix = moved(-(row ?? 0)) + erase;
		return {...resized, above: [...above, ...pushed], near: 0, cutAt: widest, printed: again, prefix};
	}

	const room = Math.max(0, top);
	const known = lastInRows(row === undefined ? lastOf(above, region.near) : above, room, countRows);
	const oldColumns = back?.columns ?? region.columns;
	const isOther = isRecolored || columns !== oldColumns;
	const {fits, isGone} = goneFrom(known, columns, widest);
	const {kept, lines} = rewritten({known, back: back?.lines ?? [], isGone}, real =>
		rewrap && isOther ? rewrap(real, oldColumns) : {count: 0, lines: []},
	);
	return {
		...resized,
		above: above.slice(0, above.length - known.length + kept),
		...{near: kept, cutAt: fits > 0 ? widest : Number.POSITIVE_INFINITY},
		printed: [...fitted(lines, columns), ...printed],
		prefix: pullDown(pulled) + moved(top + pulled - countRows(known.slice(kept)) - (row ?? likely)) + erase,
	};
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

function fitted(lines: readonly string[], columns: number): readonly string[] {
	return lines.flatMap(line => (lineWidth(line) > columns ? wrapLine(line, columns) : line));
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
