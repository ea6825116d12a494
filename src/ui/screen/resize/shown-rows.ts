import {lineWidth, textWidth} from '../../../terminal/text/width.ts';
import {continues} from '../../../terminal/text/wrap.ts';
import type {Size} from './questions.ts';

/** A row that the terminal shows: how many cells of it have text, and whether the terminal wrapped its line to the next row. */
type Row = {readonly cells: number; readonly isWrapped: boolean; readonly source: number};

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
		const cells = lineWidth(text);
		return {cells, isWrapped: cells >= columns && text.endsWith(continues), source};
	});
}

/** Returns rows as lines of blanks, with the mark of those that continue. */
export function linesOf(rows: readonly Row[]): readonly string[] {
	return rows.map(({cells, isWrapped}) => ' '.repeat(cells) + (isWrapped ? continues : ''));
}

/** Wraps the rows at another width, as terminals do: whole lines, with the cursor at its place in the text. */
export function rewrapRows(shown: ShownRows, {columns, rows: height}: Size): void {
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
	}));
}

const blank: Row = {cells: 0, isWrapped: false, source: ownRow};

const parts = /\u001B\[([?;\d]*)([@-~])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\r\n\b]|[^\u001B\r\n\b]+|\u001B/g;

/**
 * Does to the rows what the bytes of a frame do in a terminal. `joins` is true if the terminal joins a row that is written
 * again with the row before it, if that continued in the old one.
 */
export function applyFrame(shown: ShownRows, data: string, joins: boolean): void {
	for (const [part, list = '', final = ''] of data.matchAll(parts)) {
		const count = Math.max(1, Number.parseInt(list, 10) || 0);
		if (final !== '') {
			controls[final]?.(shown, {list, count, joins});
		} else if (part === '\r') {
			shown.x = 0;
		} else if (part === '\n') {
			lineFeed(shown, joins ? undefined : false);
		} else if (part === '\b') {
			shown.x = Math.max(0, Math.min(shown.x, shown.columns) - 1);
		} else if (!part.startsWith('\u001B')) {
			writeText(shown, textWidth(part));
		}
	}
}

type Parameters = {readonly list: string; readonly count: number; readonly joins: boolean};

const controls: Readonly<Record<string, (shown: ShownRows, parameters: Parameters) => void>> = {
	A(shown, {count}) {
		shown.y = Math.max(shown.top ?? 0, shown.y - count, 0);
	},
	B(shown, {count}) {
		shown.y = Math.min(bottomOf(shown), shown.y + count);
	},
	C(shown, {count}) {
		shown.x = Math.min(shown.columns - 1, shown.x + count);
	},
	G(shown, {count}) {
		shown.x = Math.min(shown.columns, count) - 1;
	},
	h: (shown, {list}) => setWrap(shown, list, true),
	l: (shown, {list}) => setWrap(shown, list, false),
	K(shown, {list, joins}) {
		shown.x = list === '2' ? shown.x : Math.min(shown.x, shown.columns - 1);
		erase(shown, list === '2' ? 0 : shown.x, joins);
	},
	J(shown, {joins}) {
		erase(shown, shown.x, joins);
		shown.rows.length = shown.y + 1;
	},
	L(shown, {count}) {
		touch(shown);
		endRowBefore(shown);
		shown.rows.splice(shown.y, 0, ...Array.from({length: count}, () => blank));
		shown.rows.length = Math.min(shown.rows.length, bottomOf(shown) + 1);
	},
	M(shown, {count}) {
		endRowBefore(shown);
		for (let index = 0; index < count; index++) {
			touch(shown);
			shown.rows.splice(shown.y, 1);
		}
	},
};

function setWrap(shown: ShownRows, list: string, wraps: boolean): void {
	shown.wraps = list === '?7' ? wraps : shown.wraps;
}

function bottomOf({top, height}: ShownRows): number {
	return top === undefined ? Number.POSITIVE_INFINITY : top + height - 1;
}

/** Returns the cursor's row, noted as written to. */
function touch(shown: ShownRows): Row {
	while (shown.rows.length <= shown.y) {
		shown.rows.push(blank);
	}

	const row = shown.rows[shown.y] ?? blank;
	shown.touched = Math.min(shown.touched, row.source);
	return row;
}

function erase(shown: ShownRows, from: number, joins: boolean): void {
	const row = touch(shown);
	shown.rows[shown.y] = {cells: Math.min(row.cells, from), isWrapped: false, source: ownRow};
	if (from === 0 && !joins) {
		endRowBefore(shown);
	}
}

/** Lets the row before the cursor's continue in no other. */
function endRowBefore(shown: ShownRows): void {
	const before = shown.rows[shown.y - 1];
	if (before) {
		shown.rows[shown.y - 1] = {...before, isWrapped: false};
	}
}

function lineFeed(shown: ShownRows, isWrapped: boolean | undefined): void {
	const row = touch(shown);
	shown.rows[shown.y] = {...row, isWrapped: isWrapped ?? row.isWrapped};
	if (shown.top !== undefined && shown.y >= bottomOf(shown)) {
		shown.top++;
	}

	shown.y++;
	touch(shown);
}

function writeText(shown: ShownRows, width: number): void {
	let left = width;
	while (shown.wraps && shown.x + left > shown.columns) {
		const written = shown.columns - shown.x;
		write(shown, written);
		left -= written;
		lineFeed(shown, true);
		shown.x = 0;
	}

	write(shown, left);
}

function write(shown: ShownRows, width: number): void {
	const row = touch(shown);
	shown.x = Math.min(shown.columns, shown.x + width);
	shown.rows[shown.y] = {...row, cells: Math.max(row.cells, shown.x), source: ownRow};
}
