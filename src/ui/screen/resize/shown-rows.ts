import {lineWidth} from '../../../terminal/text/width.ts';
import {continues} from '../../../terminal/text/wrap.ts';
import {isMarked, marked, unmarked} from './frame-mark.ts';
import type {Size} from './questions.ts';

/**
 * A row that the terminal shows: how many cells of it have text, whether the terminal wrapped its line to the next row, and
 * whether it has the mark of a prompt.
 */
export type Row = {
	readonly cells: number;
	readonly isWrapped: boolean;
	readonly source: number;
	readonly isMarked: boolean;
};

/** The rows at the end of what a terminal shows, and its cursor. */
export type ShownRows = {
	readonly rows: Row[];
	x: number;
	y: number;
	/** The first row of the window; undefined if it is unknown. */
	top: number | undefined;
	columns: number;
	height: number;
	/** True while a row that is full continues in the next one (DECAWM). */
	wraps: boolean;
	/** True if a row that continues in the next one still does when it is erased, and is full of blanks then. */
	readonly keepsBreaks: boolean;
	/** The lowest source of a row that was written to or erased. */
	touched: number;
};

/** A line, and where it comes from: the number of a printed line, or `ownRow`. */
type Line = {readonly text: string; readonly source: number};

/** The source of rows that belong to a frame. */
export const ownRow = Number.POSITIVE_INFINITY;

/** Returns the rows that show these lines. Only those that fill the window may continue. */
export function rowsOf(lines: readonly Line[], columns: number): Row[] {
	return lines.map(({text, source}) => {
		const cells = lineWidth(unmarked(text));
		return {cells, isWrapped: cells >= columns && text.endsWith(continues), source, isMarked: isMarked(text)};
	});
}

/** Returns rows as lines of blanks, with what marks those that continue, and the mark of a prompt. */
export function linesOf(rows: readonly Row[]): readonly string[] {
	return rows.map(row => {
		const line = ' '.repeat(row.cells) + (row.isWrapped ? continues : '');
		return row.isMarked ? marked(line) : line;
	});
}

/** Blanks the rows from the last mark above the cursor down, as kitty does when it is resized. */
function blankMarked(shown: ShownRows): void {
	const top = shown.top ?? 0;
	const from = shown.rows.findLastIndex((row, index) => row.isMarked && index >= top && index <= shown.y);
	if (from !== -1) {
		shown.rows.splice(from, Number.POSITIVE_INFINITY, ...shown.rows.slice(from, shown.y + 1).map(emptied));
		endRowBefore(shown, from);
	}
}

const emptied = (row: Row): Row => ({...row, cells: 0, isWrapped: false});

/** Wraps the rows at another width, as terminals do: whole lines, with the cursor at its place in the text. */
export function rewrapRows(shown: ShownRows, {columns, rows: height}: Size): void {
	if (columns !== shown.columns || height !== shown.height) {
		blankMarked(shown);
	}

	if (columns !== shown.columns) {
		const rows: Row[] = [];
		let place = {x: 0, y: 0};
		for (let from = 0; from < shown.rows.length; ) {
			const to = endOfLine(shown.rows, from);
			const line = shown.rows.slice(from, to);
			const wrapped = wrappedLine(line, columns);
			if (shown.y >= from && shown.y < to) {
				const offset = cellsOf(line.slice(0, shown.y - from)) + shown.x;
				const at = Math.min(Math.floor(offset / columns), wrapped.length - 1);
				place = {x: Math.min(offset - at * columns, columns - 1), y: rows.length + at};
			}

			rows.push(...wrapped);
			from = to;
		}

		shown.rows.splice(0, shown.rows.length, ...rows);
		Object.assign(shown, place);
	}

	if (columns !== shown.columns || height !== shown.height) {
		Object.assign(shown, {columns, height, top: undefined});
	}
}

function endOfLine(rows: readonly Row[], from: number): number {
	const last = rows.findIndex(({isWrapped}, index) => index >= from && !isWrapped);
	return last === -1 ? rows.length : last + 1;
}

function cellsOf(rows: readonly Row[]): number {
	return rows.reduce((sum, {cells}) => sum + cells, 0);
}

function wrappedLine(line: readonly Row[], columns: number): readonly Row[] {
	const cells = cellsOf(line);
	const count = Math.max(1, Math.ceil(cells / columns));
	const source = Math.min(...line.map(row => row.source));
	return Array.from({length: count}, (_, index) => ({
		cells: index < count - 1 ? columns : cells - (count - 1) * columns,
		isWrapped: index < count - 1,
		source,
		isMarked: index === 0 && line.some(row => row.isMarked),
	}));
}

/** Lets the row before this one, which is the cursor's by default, continue in no other. */
export function endRowBefore(shown: ShownRows, row = shown.y): void {
	const before = shown.rows[row - 1];
	if (before) {
		shown.rows[row - 1] = {...before, isWrapped: false};
	}
}
