import {useMemo} from 'react';
import {drawRow, type Fit, fitColumns, type Rows, rowsOf, type TableRow} from '../../command/render/table-layout.ts';
import type {TableContent} from '../../core/table.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import type {PanelSlice} from '../../store/panel-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Box, Text} from '../ink.ts';
import {drawLine, editLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {cancels, closes, type PanelModule, type PanelProps} from './panel.ts';
import {filterCaret, filterLabel, listPart, titleRule} from './panel-rows.ts';

/** A table that is too long for the window. */
export type TablePanel = TableContent & {
	readonly kind: 'table';
	readonly title: string;
	/** True to show times in full from the start. */
	readonly exact?: boolean;
	/** Sentences below the rows, as many as have room. */
	readonly notes?: readonly string[];
	/** The id of each row, in the order of `rows`, if rows can be opened. It is the answer of the panel. */
	readonly opens?: {readonly ids: readonly string[]};
};

/** Lines above the rows: the title, the filter, the column labels. */
const frameRows = 3;

/** Fewest rows of a table with notes below it. */
const leastRows = 6;

export const tablePanel: PanelModule<TablePanel> = {
	initial: ({exact = false}) => ({manner: 'waits', exact}),
	rows: ({rows, notes = []}) => rows.length + frameRows + notes.length,

	/** A key opens the chosen row, moves to another one, sorts the table, or edits the filter. */
	press(pressed, panel, keys) {
		const {store, answer} = keys;
		const state = store.getState();
		if (cancels(pressed, keys)) {
			return true;
		}

		const {token, action, rows} = pressed;
		const {found, chosen} = tableState(panel, state);
		const id = panel.opens?.ids[found[chosen]?.index ?? -1];
		if (rows !== undefined) {
			moveBy(rows, panel, store);
		} else if (action === 'panel.open') {
			if (id !== undefined) {
				answer(id);
			}
		} else if (action === 'panel.first' || action === 'panel.last') {
			moveBy(action === 'panel.first' ? -found.length : found.length, panel, store);
		} else if (action === 'table.sort' || action === 'table.sort-back') {
			state.sortBy(action === 'table.sort' ? 1 : -1);
		} else if (action === 'table.times') {
			state.toggleExact();
		} else if (!closes(pressed, keys)) {
			const edited = editLine(state.filter, token, state.keymap);
			if (edited !== state.filter) {
				state.setFilter(edited);
			}
		}

		return true;
	},

	draw: TableView,
	caret: (_panel, filter, room) => filterCaret(filter, room),
	title: ({title}) => title,
	isFramed: false,
};

/** Moves to another row, at most to the first or the last one. */
function moveBy(rows: number, panel: TablePanel, store: AppStore): void {
	const state = store.getState();
	const {found, chosen} = tableState(panel, state);
	state.scrollBy(Math.max(0, Math.min(chosen + rows, found.length - 1)) - state.scroll);
}

/** Shows a table that doesn't fit the window: typing filters it, Tab sorts it, Enter opens a row, Ctrl+T shows exact times. */
function TableView({panel, height}: PanelProps<TablePanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const filter = useApp(state => state.filter);
	const {rows, found, chosen, sort, fit, exact, keymap} = useTable(panel, filter, columns);

	const notes = (panel.notes ?? []).slice(0, Math.max(0, height - frameRows - leastRows));
	const room = Math.max(1, height - frameRows - notes.length);
	// A sorted table is one list.
	const grouped = sort ? found.slice(0, chosen + room + 1).map(row => ({...row, group: undefined})) : found;
	const {visible, more} = listPart(grouped, {chosen, room, count: found.length}, palette);
	const lines = visible.map(({index, heading}) => {
		if (heading !== undefined) {
			return palette.label(truncate(safeLine(heading), columns));
		}

		const line = drawRow(found[index]?.cells ?? [], panel.columns, fit);
		const isChosen = index === chosen;
		return truncate(isChosen ? palette.accent('❯ ') + palette.selected(line) : `  ${line}`, columns);
	});
	const count = `(${found.length === rows.length ? '' : `${found.length} of `}${rows.length})`;
	const title = safeLine(panel.title);
	const hints = keyHints(keymap, {hasTimes: hasTimes(rows), opens: panel.opens !== undefined, exact});
	const facts = leftOut(fit.dropped.map(column => safeLine(panel.columns[column]?.label ?? ''))).map(
		without => ` ${count}${without}`,
	);
	return (
		<Box flexDirection="column">
			{height > 2 && (
				<Text wrap="truncate">
					{titleRule(fitTitle(palette.label(title), {facts, hints, role: palette.dim}, columns), {columns, palette})}
				</Text>
			)}
			{height > 1 && <Text>{palette.dim(filterLabel) + drawLine(filterLabel, filter, columns).text}</Text>}
			{height > frameRows && (
				<Text wrap="truncate">
					{truncate(`  ${palette.dim(drawRow(headOf(panel.columns, sort), panel.columns, fit))}`, columns)}
				</Text>
			)}
			<Lines lines={lines.length > 0 ? [...lines, ...more] : [palette.dim('  Nothing matches.')]} />
			<Lines lines={notes.map(note => truncate(palette.dim(safeLine(note)), columns))} />
		</Box>
	);
}

/** Returns what the table shows, the columns that fit, and the keys. */
function useTable(panel: TablePanel, filter: ComposerState, columns: number) {
	const sorted = useApp(state => state.sorted);
	const exact = useApp(state => state.exact);
	const scroll = useApp(state => state.scroll);
	const state = tableState(panel, {filter, sorted, exact, scroll});
	const {rows, sort} = state;
	const fit = useMemo(() => fitPanel(panel, rows, {sort, room: columns - 2}), [panel, rows, sort, columns]);
	return {...state, fit, exact, keymap: useKeymap(panelKeys)};
}

type Room = {readonly sort: Sort | undefined; readonly room: number};

/** Returns the columns that fit beside the sign of the chosen row, with room for the arrow of the sorted one. */
function fitPanel({columns}: TablePanel, rows: readonly TableRow[], {sort, room}: Room) {
	const heads = headOf(columns, sort).map((label, index) => ({...columns[index], label}));
	return fitColumns(heads, rows, room) ?? fitFirst(heads, rows, room);
}

function hasTimes(rows: readonly TableRow[]): boolean {
	return rows.some(row => row.times.some(time => time !== undefined));
}

type Offers = {readonly opens: boolean; readonly hasTimes: boolean; readonly exact: boolean};

function keyHints(keymap: Keymap<PanelAction>, {opens, hasTimes, exact}: Offers): readonly string[] {
	const hints = hintsOf(keymap, [
		...(opens ? [['open', 'panel.open'] as const] : []),
		['sort', 'table.sort'],
		...(hasTimes ? [[exact ? 'ages' : 'exact times', 'table.times'] as const] : []),
	]);
	return [...hints, 'Esc close'];
}

/** Returns ways to name the columns that don't fit, the best first. None of them is worth the key of a hint. */
function leftOut(dropped: readonly string[]): readonly string[] {
	const counted = ` without ${dropped.length} columns`;
	switch (dropped.length) {
		case 0:
			return [''];
		case 1:
			return [` without ${dropped[0]}`, ''];
		case 2:
			return [` without ${dropped.join(' and ')}`, counted, ''];
		default:
			return [counted, ''];
	}
}

/** The column to sort by. */
type Sort = {readonly column: number; readonly descending: boolean};

type Given = Pick<PanelSlice, 'filter' | 'sorted' | 'exact' | 'scroll'>;

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
function tableState(panel: TablePanel, {filter, sorted, exact, scroll}: Given): TableState {
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
function headOf(columns: TableContent['columns'], sort: Sort | undefined): readonly string[] {
	return columns.map(({label}, index) =>
		sort?.column === index ? `${safeLine(label)} ${sort.descending ? '↓' : '↑'}`.trim() : safeLine(label),
	);
}

/** Returns the columns from the left that fit in `room` cells if `fitColumns` finds no way; the first one is cut if need be. */
export function fitFirst(columns: TableContent['columns'], rows: Rows, room: number): Fit {
	for (let count = columns.length; count > 1; count--) {
		const fit = fitColumns(columns.slice(0, count), rows, room);
		if (fit) {
			return {...fit, dropped: [...fit.dropped, ...[...columns.keys()].slice(count)]};
		}
	}

	return {shown: [0], widths: [Math.max(1, room)], dropped: [...columns.keys()].slice(1)};
}
