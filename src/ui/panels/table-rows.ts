import {cellText, cellTime} from '../../core/cell.ts';
import type {TablePanel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';

/** A row with its safe cells, the times in them, and its index in the original table. */
export type TableRow = {
	readonly cells: readonly string[];
	/** Milliseconds since 1970; undefined for a cell that isn't a time. */
	readonly times: readonly (number | undefined)[];
	readonly index: number;
	/** The heading that it stands under. */
	readonly group?: string | undefined;
};

/** The column to sort by. */
type Sort = {readonly column: number; readonly descending: boolean};

type Columns = TablePanel['columns'];

/** Returns the rows of a table, each cell safe to print on one line (SAFETY 1). */
export function rowsOf({rows, groups}: Pick<TablePanel, 'rows' | 'groups'>, exact: boolean): readonly TableRow[] {
	const now = Date.now();
	return rows.map((row, index) => ({
		cells: row.map(cell => safeLine(cellText(cell, {exact, now}))),
		times: row.map(cellTime),
		index,
		group: groups?.[index],
	}));
}

/** Returns the order after `steps`: unsorted (undefined), then each column ascending and descending, then again. */
export function sortAfter(steps: number, columns: number): Sort | undefined {
	const orders = 2 * columns + 1;
	const at = ((steps % orders) + orders) % orders;
	return at === 0 ? undefined : {column: Math.floor((at - 1) / 2), descending: at % 2 === 0};
}

/**
 * Returns the sorted rows that contain every word of the filter. Times are compared by their instant, not by their text;
 * equal rows keep their order.
 */
export function arrange(rows: readonly TableRow[], filter: string, sort: Sort | undefined): readonly TableRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const found = rows.filter(({cells, group = ''}) => {
		const text = [...cells, group].join('\n').toLowerCase();
		return words.every(word => text.includes(word));
	});
	if (!sort) {
		return found;
	}

	const {column, descending} = sort;
	const cellOf = ({cells}: TableRow) => cells[column] ?? '';
	// Empty cells come last in both directions.
	const [filled, empty] = [found.filter(row => cellOf(row)), found.filter(row => !cellOf(row))];
	const sign = descending ? -1 : 1;
	const compare = (a: TableRow, b: TableRow) => {
		const [x, y] = [a.times[column], b.times[column]];
		return x === undefined || y === undefined ? compareCells(cellOf(a), cellOf(b)) : x - y;
	};
	return [...filled.toSorted((a, b) => sign * compare(a, b)), ...empty];
}

const scales: Readonly<Record<string, number>> = {
	'': 1,
	'%': 1,
	B: 1,
	k: 1e3,
	kB: 1e3,
	M: 1e6,
	MB: 1e6,
	G: 1e9,
	GB: 1e9,
	ms: 1e-3,
	s: 1,
};

const measure = /^[<$]*(-?[\d,]*\.?\d+(?:e[-+]?\d+)?) ?(%|[kMG]?B|[kMG]|ms|s)?$/;

/** Returns the number in a cell in its base unit: `1.3k` is 1300, `5 ms` is 0.005. Undefined if it isn't a number. */
function numberIn(cell: string): number | undefined {
	const [, digits, unit = ''] = measure.exec(cell) ?? [];
	const scale = scales[unit];
	return digits === undefined || scale === undefined ? undefined : Number(digits.replaceAll(',', '')) * scale;
}

/** Created by the first comparison: for that, ICU reads its order of letters, which takes several milliseconds. */
let collator: Intl.Collator | undefined;

function byText(a: string, b: string): number {
	collator ??= new Intl.Collator('en', {numeric: true});
	return collator.compare(a, b);
}

/** Compares numbers by size and words by the alphabet; numbers come first. */
export function compareCells(a: string, b: string): number {
	const [x, y] = [numberIn(a), numberIn(b)];
	if (x !== undefined && y !== undefined) {
		return x - y;
	}

	return x === undefined && y === undefined ? byText(a, b) : x === undefined ? 1 : -1;
}

/** The indexes of the columns to draw, their widths in cells, and the labels of those that don't fit. */
type Fit = {
	readonly shown: readonly number[];
	readonly widths: readonly number[];
	readonly dropped: readonly string[];
};

const gap = 2;
const maxWidth = 40;
const minWidth = 8;

/**
 * Returns the columns that fit in `room` cells. From the left, each gets the cells it needs, up to 40 unless it must be
 * whole; the last one gets the rest. If not all fit, spare columns are dropped first, the last one first.
 */
export function fitColumns(columns: Columns, rows: readonly TableRow[], room: number): Fit {
	const wanted = columns.map(({label}, column) =>
		Math.max(lineWidth(safeLine(label)) + 2, ...rows.map(({cells}) => lineWidth(cells[column] ?? ''))),
	);
	const least = columns.map(({whole}, column) => {
		const width = wanted[column] ?? 0;
		return whole ? width : Math.min(width, minWidth);
	});
	const shown = withoutSpare(columns, least, room);
	const widths: number[] = [];
	let left = room;
	for (const column of shown) {
		const width = wanted[column] ?? 0;
		const space = left - (widths.length > 0 ? gap : 0);
		const taken = Math.min(width, columns[column]?.whole ? width : maxWidth, space);
		if (widths.length > 0 && taken < (least[column] ?? 0)) {
			break;
		}

		widths.push(Math.max(1, taken));
		left = space - taken;
	}

	const drawn = shown.slice(0, widths.length);
	const last = drawn.length - 1;
	const spare = Math.max(0, Math.min(left, (wanted[drawn[last] ?? 0] ?? 0) - (widths[last] ?? 0)));
	return {
		shown: drawn,
		widths: widths.map((width, index) => (index === last ? width + spare : width)),
		dropped: columns.flatMap(({label}, column) => (drawn.includes(column) ? [] : [safeLine(label)])),
	};
}

/** Returns the columns after dropping as few spare ones as needed. */
function withoutSpare(columns: Columns, least: readonly number[], room: number): readonly number[] {
	let shown: readonly number[] = columns.map((_, column) => column);
	const needed = () => shown.reduce((sum, column) => sum + (least[column] ?? 0) + gap, -gap);
	const lastSpare = () => shown.findLast(column => columns[column]?.spare);
	for (let spare = lastSpare(); spare !== undefined && needed() > room; spare = lastSpare()) {
		shown = shown.filter(column => column !== spare);
	}

	return shown;
}

/** Returns the cells of a row in one line. */
export function drawRow(cells: readonly string[], columns: Columns, {shown, widths}: Fit): string {
	return shown
		.map((column, index) => {
			const width = widths[index] ?? 0;
			const cell = truncate(cells[column] ?? '', width);
			return columns[column]?.align === 'right'
				? ' '.repeat(Math.max(0, width - lineWidth(cell))) + cell
				: padEnd(cell, width);
		})
		.join(' '.repeat(gap))
		.trimEnd();
}

/** Returns the labels of the columns, with an arrow at the sorted one. */
export function headOf(columns: Columns, sort: Sort | undefined): readonly string[] {
	return columns.map(({label}, index) =>
		sort?.column === index ? `${safeLine(label)} ${sort.descending ? '↓' : '↑'}`.trim() : safeLine(label),
	);
}
