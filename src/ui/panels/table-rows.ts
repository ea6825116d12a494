import {type Fit, fitColumns, type Rows, rowsOf, type TableRow} from '../../command/render/table-layout.ts';
import type {TablePanel, ViewSlice} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** The column to sort by. */
type Sort = {readonly column: number; readonly descending: boolean};

type Given = Pick<ViewSlice, 'filter' | 'sorted' | 'exact' | 'scroll'>;

type TableState = {
	readonly rows: readonly TableRow[];
	/** Those that match the filter, in order. */
	readonly found: readonly TableRow[];
	readonly sort: Sort | undefined;
	/** Index in `found` of the row that Enter opens. */
	readonly chosen: number;
};

type Arranged = Omit<TableState, 'chosen'> & Omit<Given, 'scroll'>;

const arranged = new WeakMap<TablePanel, Arranged>();

/** Returns what a table shows. Both the view and the keys use it; rows are arranged again only after a change. */
export function tableState(panel: TablePanel, {filter, sorted, exact, scroll}: Given): TableState {
	const last = arranged.get(panel);
	const rows = last?.exact === exact ? last.rows : rowsOf(panel, exact);
	const isKnown = last?.rows === rows && last.filter.text === filter.text && last.sorted === sorted;
	const sort = isKnown ? last.sort : sortAfter(sorted, panel.columns.length);
	const found = isKnown ? last.found : arrange(rows, filter.text, sort);
	arranged.set(panel, {rows, found, sort, filter, sorted, exact});
	return {rows, found, sort, chosen: Math.max(0, Math.min(scroll, found.length - 1))};
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

const measure = /^[<$]*(-?[\d,]*\.?\d+(?:e[-+]?\d+)?) ?(%|[kMG]?B|[kMG]|ms|s)? *$/;

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

/** Returns the labels of the columns, with an arrow at the sorted one. */
export function headOf(columns: TablePanel['columns'], sort: Sort | undefined): readonly string[] {
	return columns.map(({label}, index) =>
		sort?.column === index ? `${safeLine(label)} ${sort.descending ? '↓' : '↑'}`.trim() : safeLine(label),
	);
}

/** Returns the columns from the left that fit in `room` cells if `fitColumns` finds no way; the first one is cut if need be. */
export function fitFirst(columns: TablePanel['columns'], rows: Rows, room: number): Fit {
	for (let count = columns.length; count > 1; count--) {
		const fit = fitColumns(columns.slice(0, count), rows, room);
		if (fit) {
			return {...fit, dropped: [...fit.dropped, ...[...columns.keys()].slice(count)]};
		}
	}

	return {shown: [0], widths: [Math.max(1, room)], dropped: [...columns.keys()].slice(1)};
}
