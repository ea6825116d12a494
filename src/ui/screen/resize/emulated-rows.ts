import type {Size} from '../../../store/view-slice.ts';
import {lineWidth, textWidth} from '../../../terminal/text/width.ts';
import {continues} from '../../../terminal/text/wrap.ts';
import {isMarked, marked, unmarked} from './frame-mark.ts';

/**
 * A row that the terminal shows: how many cells of it have text, whether the terminal wrapped its line to the next row, and
 * whether it has the mark of a prompt.
 */
type Row = {
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
function endRowBefore(shown: ShownRows, row = shown.y): void {
	const before = shown.rows[row - 1];
	if (before) {
		shown.rows[row - 1] = {...before, isWrapped: false};
	}
}

const blank: Row = {cells: 0, isWrapped: false, source: ownRow, isMarked: false};

/** The source of rows above all lines that are known. */
const unknownRow = -1;

const parts =
	/\u001B\[([?;\d]*)(\+?[@-~])|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[\r\n\b]|[^\u001B\r\n\b]+|\u001B/g;

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
		} else if (isMarked(part)) {
			shown.rows[shown.y] = {...touch(shown), isMarked: true};
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
		const below = shown.keepsBreaks ? shown.rows.slice(shown.y + 1) : [];
		shown.rows.splice(shown.y + 1, Number.POSITIVE_INFINITY, ...below.map(row => erased(shown, row, 0)));
	},
	L(shown, {count}) {
		touch(shown);
		endBeforeMoved(shown);
		shown.rows.splice(shown.y, 0, ...Array.from({length: count}, () => blank));
		shown.rows.length = Math.min(shown.rows.length, bottomOf(shown) + 1);
	},
	M(shown, {count}) {
		endBeforeMoved(shown);
		for (let index = 0; index < count; index++) {
			touch(shown);
			shown.rows.splice(shown.y, 1);
		}
	},
	'+T': (shown, {count}) => pullRows(shown, count),
};

/** Moves rows of the scrollback down into the window; the last ones of the window are gone then. */
function pullRows(shown: ShownRows, count: number): void {
	const missing = Math.max(0, count - (shown.top ?? 0));
	shown.rows.unshift(...Array.from({length: missing}, () => ({...blank, source: unknownRow})));
	shown.top = (shown.top ?? 0) + missing - count;
	shown.y += missing - count;
	const [gone] = shown.rows.splice(bottomOf(shown) + 1);
	shown.touched = Math.min(shown.touched, gone?.source ?? ownRow);
}

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
	shown.rows[shown.y] = erased(shown, row, from);
	if (from === 0 && !joins) {
		endRowBefore(shown);
	}
}

function erased({keepsBreaks, columns}: ShownRows, row: Row, from: number): Row {
	const isWrapped = keepsBreaks && row.isWrapped;
	return {...row, cells: isWrapped ? columns : Math.min(row.cells, from), isWrapped, source: ownRow};
}

/** Lets the row before inserted or deleted ones continue in no other, as most terminals do. */
function endBeforeMoved(shown: ShownRows): void {
	if (!shown.keepsBreaks) {
		endRowBefore(shown);
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
