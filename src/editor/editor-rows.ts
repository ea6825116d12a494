import {cellWidths} from '../terminal/text/cell-widths.ts';
import {safeText} from '../terminal/text/safe-text.ts';
import {textWidth} from '../terminal/text/width.ts';
import type {ComposerState} from './editor-state.ts';
import {type Fold, foldIndexAt} from './folds.ts';
import {isSimple, isWide, nextBoundary} from './graphemes.ts';
import {countLines, dividedText} from './long-text.ts';
import {lineEnd, lineStart} from './motion.ts';

/** The text of a composer and its folds. */
export type Wrappable = {readonly text: string; readonly folds: readonly Fold[]};

/** The beginning of a row: `skip` cells into the unit at `start`, if a long placeholder was cut there. */
export type Row = {readonly start: number; readonly skip: number};

/** A unit that the caret passes in one step, and how it is drawn. */
type Unit = {readonly end: number; readonly shown: string; readonly width: number; readonly fold: boolean};

const tab = '    ';

/**
 * Returns the rows of the whole text in a window of `columns` cells. They break after blanks, beside wide characters
 * and placeholders, and within longer units. The last cell is kept for a blank, or for the caret after a word, so that
 * neither begins the next row. One pass; simple characters need no segmenter and no allocation (100 KB of them take a
 * few milliseconds).
 */
export function rowsOf(source: Wrappable, columns: number): readonly Row[] {
	const {text} = source;
	const room = columns > 2 ? columns - 1 : columns;
	const rows: Row[] = [{start: 0, skip: 0}];
	let start = 0;
	let column = 0;
	/** The best place so far to end the row, and the cells before it. */
	let end = 0;
	let cells = 0;
	let mayEnd = false;
	let offset = 0;
	while (offset < text.length) {
		const code = text.charCodeAt(offset);
		if (code === 0x0a) {
			offset++;
			rows.push({start: offset, skip: 0});
			start = offset;
			column = 0;
			continue;
		}

		const unit = isPlain(text, offset, columns) ? undefined : unitAt(source, offset, columns);
		const width = unit ? unit.width : simpleWidth(text, offset);
		const isBlank = code === 0x20 || code === 0x09;
		const isApart = isBlank || width > 1 || unit?.fold === true;
		if (isApart || mayEnd) {
			end = offset;
			cells = column;
		}

		if (column > 0 && column + width > (isBlank ? columns : room)) {
			const isCut = end <= start;
			start = isCut ? offset : end;
			column -= isCut ? column : cells;
			rows.push({start, skip: 0});
		}

		column = unit?.fold ? cutFold(rows, offset, column + width, room) : column + width;
		mayEnd = isApart;
		offset = unit?.end ?? offset + 1;
	}

	return rows;
}

/** Counts of rows in a window of this width; kept until the width changes. */
let latestCount = {columns: 0, widths: cellWidths(), counted: new WeakMap()};

/** The rows of some lines around the caret. */
type RowsAround = {
	/** Those lines alone. */
	readonly source: Wrappable;
	readonly rows: readonly Row[];
	/** The offset of their text in the whole. */
	readonly start: number;
	/** Returns the number of rows above them. */
	readonly countAbove: () => number;
	readonly countAll: () => number;
};

/** Wraps the line of the caret and the `reach` lines on both sides; a short text as a whole. */
export function rowsAround(state: ComposerState, columns: number, reach: number): RowsAround {
	const {folds, caret} = state;
	const pieces = dividedText(state);
	if (!pieces) {
		const rows = rowsOf(state, columns);
		return {source: state, rows, start: 0, countAbove: () => 0, countAll: () => rows.length};
	}

	let start = lineStart(pieces, caret);
	let end = lineEnd(pieces, caret);
	for (let line = 0; line < reach; line++) {
		start = lineStart(pieces, Math.max(0, start - 1));
		end = lineEnd(pieces, Math.min(pieces.length, end + 1));
	}

	if (latestCount.columns !== columns || latestCount.widths !== cellWidths()) {
		latestCount = {columns, widths: cellWidths(), counted: new WeakMap()};
	}

	const count = {count: (text: string) => rowsOf({text, folds}, columns).length, counted: latestCount.counted};
	const source = {text: pieces.slice(start, end), folds};
	return {
		source,
		rows: rowsOf(source, columns),
		start,
		countAbove: () => countLines(pieces, count, start),
		countAll: () => countLines(pieces, count),
	};
}

/** Adds the rows of a placeholder that ends `cells` after the beginning of its row; returns the column of its end. */
function cutFold(rows: Row[], start: number, cells: number, room: number): number {
	let skip = 0;
	while (cells - skip > room) {
		skip += room;
		rows.push({start, skip});
	}

	return cells - skip;
}

/** Returns the row of the caret; between two rows of a line, the lower one. */
export function rowIndexOf(rows: readonly Row[], caret: number): number {
	let low = 0;
	let high = rows.length - 1;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		const row = rows[middle];
		const begun = row && (row.start < caret || (row.start === caret && row.skip === 0));
		[low, high] = begun ? [middle, high] : [low, middle - 1];
	}

	return low;
}

/** Returns the cells of row `index` before `caret`, which is in that row. */
export function columnOf(
	source: Wrappable,
	rows: readonly Row[],
	index: number,
	caret: number,
	columns: number,
): number {
	return unitsOf(source, rows, index, columns)
		.filter(unit => unit.end <= caret)
		.reduce((column, unit) => column + unit.width, 0);
}

/**
 * Returns the caret nearest to column `goal` of row `index`, at or before it; behind a placeholder when moving `down`.
 */
export function caretAt(
	source: Wrappable,
	rows: readonly Row[],
	index: number,
	goal: number,
	columns: number,
	down: boolean,
): number {
	const row = rows[index] ?? {start: 0, skip: 0};
	const next = rows[index + 1];
	let caret = row.start;
	let column = 0;
	for (const unit of unitsOf(source, rows, index, columns)) {
		column += unit.width;
		// The end of a wrapped row is drawn at the beginning of the next one, so it is not a place in this row.
		const below = next && (unit.end === next.start ? source.text[unit.end - 1] !== '\n' : unit.end > next.start);
		const inside = caret === row.start && row.skip > 0;
		if (inside && down) {
			caret = unit.end;
		} else if (column > goal || below) {
			break;
		} else {
			caret = unit.end;
		}
	}

	return caret;
}

/** Returns row `index` as safe text, no wider than `columns`. */
export function drawRow(source: Wrappable, rows: readonly Row[], index: number, columns: number): string {
	return unitsOf(source, rows, index, columns)
		.map(unit => unit.shown)
		.join('');
}

/** Returns which part of a row, as `drawRow` draws it, shows the text from `start` to `end`. */
export function drawnPart(
	source: Wrappable,
	rows: readonly Row[],
	index: number,
	columns: number,
	{start, end}: {readonly start: number; readonly end: number},
): {readonly from: number; readonly to: number} {
	const units = unitsOf(source, rows, index, columns);
	const shownUpTo = (offset: number) =>
		units.filter(unit => unit.end <= offset).reduce((length, {shown}) => length + shown.length, 0);
	return {from: shownUpTo(start), to: shownUpTo(end)};
}

/** Returns the units of row `index`, with only the visible part of a placeholder. */
function unitsOf(source: Wrappable, rows: readonly Row[], index: number, columns: number): readonly Unit[] {
	const row = rows[index];
	const next = rows[index + 1] ?? {start: source.text.length, skip: 0};
	const units: Unit[] = [];
	let offset = row?.start ?? 0;
	let skip = row?.skip ?? 0;
	while (offset < next.start + (next.skip > 0 ? 1 : 0) && source.text[offset] !== '\n') {
		const unit = unitAt(source, offset, columns);
		if (unit.fold) {
			const shown = unit.shown.slice(skip, offset === next.start ? next.skip : undefined);
			units.push({...unit, shown, width: shown.length});
		} else {
			units.push(unit);
		}

		skip = 0;
		offset = unit.end;
	}

	return units;
}

/** Returns the width of the simple character at `offset`. */
function simpleWidth(text: string, offset: number): number {
	const code = text.charCodeAt(offset);
	return isWide(code) ? 2 : code < 0x80 || cellWidths().ambiguous === 1 ? 1 : textWidth(text.charAt(offset));
}

/** True for a simple character without a mark that fits into a row. */
function isPlain(text: string, offset: number, columns: number): boolean {
	const end = offset + 1;
	return columns > 1 && isSimple(text.charCodeAt(offset)) && (end === text.length || isSimple(text.charCodeAt(end)));
}

function unitAt({text, folds}: Wrappable, offset: number, columns: number): Unit {
	const code = text.charCodeAt(offset);
	if (isPlain(text, offset, columns)) {
		return {end: offset + 1, shown: text.charAt(offset), width: simpleWidth(text, offset), fold: false};
	}

	const index = foldIndexAt(text, offset);
	if (index !== undefined) {
		const label = folds[index]?.label ?? '';
		return {end: offset + 1, shown: label, width: label.length, fold: true};
	}

	const end = nextBoundary(text, offset);
	const {shown, width} =
		code === 0x09 ? {shown: tab.slice(0, columns), width: Math.min(columns, tab.length)} : drawn(text, offset, end);
	return width > columns ? {end, shown: '…', width: 1, fold: false} : {end, shown, width, fold: false};
}

type Drawn = {readonly shown: string; readonly width: number};

/** Caches how other graphemes are drawn: few, expensive to compute, and needed for every frame. */
const known = new Map<string, Drawn>();
/** The cell widths that the cache was filled with. */
let knownBy = cellWidths();
const maxKnown = 2000;
const maxKnownLength = 64;

/** Returns the grapheme as safe text. Joiners stay if spelling needs them, which depends on the next letter. */
function drawn(text: string, start: number, end: number): Drawn {
	if (knownBy !== cellWidths()) {
		knownBy = cellWidths();
		known.clear();
	}

	const inContext = text.slice(start, end + 1);
	const cached = known.get(inContext);
	if (cached) {
		return cached;
	}

	const shown = safeText(inContext) === inContext ? text.slice(start, end) : safeText(text.slice(start, end));
	const result = {shown, width: textWidth(shown)};
	if (known.size >= maxKnown) {
		known.clear();
	}

	if (inContext.length <= maxKnownLength) {
		known.set(inContext, result);
	}

	return result;
}
