import {cellText, cellTime} from '../../core/cell.ts';
import type {TableContent} from '../../core/table.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {graphemesOf, graphemeWidth, lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';

/** A row with its safe cells, the times in them, and its index in the original table. */
export type TableRow = {
	readonly cells: readonly string[];
	/** Milliseconds since 1970; undefined for a cell that isn't a time. */
	readonly times: readonly (number | undefined)[];
	readonly index: number;
	/** The heading that it stands under. */
	readonly group?: string | undefined;
};

type Columns = TableContent['columns'];

/** Returns the rows of a table, each cell safe to print on one line (SAFETY 1). */
export function rowsOf({rows, groups}: Pick<TableContent, 'rows' | 'groups'>, exact: boolean): readonly TableRow[] {
	const now = Date.now();
	return rows.map((row, index) => ({
		cells: row.map(cell => safeLine(cellText(cell, {exact, now}))),
		times: row.map(cellTime),
		index,
		group: groups?.[index],
	}));
}

/** The indexes of the columns to draw, their widths in cells, and the indexes of those that don't fit. */
export type Fit = {
	readonly shown: readonly number[];
	readonly widths: readonly number[];
	readonly dropped: readonly number[];
};

export type Rows = readonly Pick<TableRow, 'cells'>[];

const gap = 2;
const minWidth = 8;
/** Beside spare columns, which are left out before another one is cut to less. */
const minBesideSpare = 16;
/** The same for a column that is whole beside them: a longer text is no title. */
const wholeBesideSpare = 60;

/**
 * Returns the columns that fit in `room` cells: numbers and `whole` columns in full, and so is the first one beside spare ones;
 * the others share what is left, the short ones in full. Spare columns are left out for that, the last one first; those with
 * one value in all rows even before another column is cut. Columns without any value are left out, too. Returns undefined
 * if the other columns don't fit.
 */
export function fitColumns(columns: Columns, rows: Rows, room: number): Fit | undefined {
	const cellsOf = (column: number) => rows.map(({cells}) => cells[column] ?? '');
	const filled = columns.flatMap((_, column) =>
		rows.length > 0 && cellsOf(column).every(cell => cell.trim() === '') ? [] : [column],
	);
	const wanted = columns.map(({label}, column) =>
		Math.max(lineWidth(safeLine(label)), ...cellsOf(column).map(lineWidth)),
	);
	const isConstant = (column: number) => columns[column]?.spare && sharedCell(rows, column) !== undefined;
	let shown: readonly number[] = withoutConstant(filled, {isConstant, wanted, room});
	for (;;) {
		const spare = shown.findLast(column => columns[column]?.spare);
		const widths = sharedWidths(shown, {columns, wanted, room, hasSpare: spare !== undefined});
		if (widths) {
			return {shown, widths, dropped: filled.filter(column => !shown.includes(column))};
		}

		if (spare === undefined) {
			return undefined;
		}

		shown = shown.filter(column => column !== spare);
	}
}

/** Returns the text that a column has in all of several rows; undefined if they differ. */
export function sharedCell(rows: Rows, column: number): string | undefined {
	const [first, ...others] = rows.map(({cells}) => cells[column] ?? '');
	return others.length > 0 && others.every(cell => cell === first) ? first : undefined;
}

type Constant = {
	readonly isConstant: (column: number) => boolean | undefined;
	readonly wanted: readonly number[];
	readonly room: number;
};

/** Returns the columns without as many constant ones, the last one first, as the others need in full. */
function withoutConstant(shown: readonly number[], {isConstant, wanted, room}: Constant): readonly number[] {
	const width = shown.reduce((sum, column) => sum + (wanted[column] ?? 0), gap * (shown.length - 1));
	const constant = shown.findLast(isConstant);
	return width <= room || constant === undefined
		? shown
		: withoutConstant(
				shown.filter(column => column !== constant),
				{isConstant, wanted, room},
			);
}

type Sharing = {
	readonly columns: Columns;
	readonly wanted: readonly number[];
	readonly room: number;
	readonly hasSpare: boolean;
};

/** Returns the widths of columns that share the room; undefined if it is too small. */
function sharedWidths(shown: readonly number[], {columns, wanted, room, hasSpare}: Sharing) {
	const least = shown.map((column, index) => {
		const {whole, align} = columns[column] ?? {};
		const width = wanted[column] ?? 0;
		const isWhole = whole === true || align === 'right' || (hasSpare && index === 0);
		const mostLeast = hasSpare ? (whole === 'beside spare' ? wholeBesideSpare : minBesideSpare) : minWidth;
		return isWhole ? width : Math.min(width, mostLeast);
	});
	const cells = room - gap * (shown.length - 1);
	const widthsAt = (most: number) =>
		shown.map((column, index) => Math.max(least[index] ?? 0, Math.min(wanted[column] ?? 0, most)));
	const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 0);
	if (sum(least) > cells) {
		return undefined;
	}

	// The most cells of a long column so that all fit.
	let [low, high] = [0, Math.max(0, room)];
	while (low < high) {
		const most = Math.ceil((low + high) / 2);
		[low, high] = sum(widthsAt(most)) <= cells ? [most, high] : [low, most - 1];
	}

	const widths = widthsAt(low);
	// The last of the long columns gets the cells that are left after equal shares.
	const last = shown.findLastIndex((column, index) => (wanted[column] ?? 0) > (widths[index] ?? 0));
	return widths.map((width, index) => (index === last ? width + cells - sum(widths) : width));
}

/** Returns the cells of a row in one line. */
export function drawRow(cells: readonly string[], columns: Columns, {shown, widths}: Fit): string {
	return shown
		.map((column, index) => {
			const width = widths[index] ?? 0;
			const {align, cut} = columns[column] ?? {};
			const cell = (cut === 'middle' ? cutMiddle : truncate)(cells[column] ?? '', width);
			return align === 'right' ? ' '.repeat(Math.max(0, width - lineWidth(cell))) + cell : padEnd(cell, width);
		})
		.join(' '.repeat(gap))
		.trimEnd();
}

/** Cuts plain text to `width` cells with an ellipsis in its middle: both ends of a path, a URL or a model tell them apart. */
export function cutMiddle(text: string, width: number): string {
	if (lineWidth(text) <= width) {
		return text;
	}

	let room = Math.floor((width - 1) / 2);
	let tail = '';
	for (const grapheme of graphemesOf(text).toReversed()) {
		room -= graphemeWidth(grapheme);
		if (room < 0) {
			break;
		}

		tail = grapheme + tail;
	}

	return truncate(text, Math.max(0, width - lineWidth(tail))) + (width > 1 ? tail : '');
}
