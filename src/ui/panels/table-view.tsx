import {useMemo} from 'react';
import {drawRow, fitColumns, type TableRow} from '../../command/render/table-layout.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import type {TablePanel} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Box, Text} from '../ink.ts';
import {drawLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {rowsAround, titleRule} from './panel-rows.ts';
import {filterLabel} from './picker-state.ts';
import {fitFirst, headOf, tableState} from './table-rows.ts';

type Props = {
	readonly panel: TablePanel;
	/** Most rows to draw. */
	readonly height: number;
};

/** Lines above the rows: the title, the filter, the column labels. */
export const tableFrame = 3;

/** Shows a table that doesn't fit the window: typing filters it, Tab sorts it, Enter opens a row, Ctrl+T shows exact times. */
export function TableView({panel, height}: Props) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const filter = useApp(state => state.filter);
	const {rows, found, chosen, sort, fit, exact, keymap} = useTable(panel, filter, columns);

	const room = Math.max(1, height - tableFrame);
	// A sorted table is one list.
	const grouped = sort ? found.slice(0, chosen + room + 1).map(row => ({...row, group: undefined})) : found;
	const lines = rowsAround(grouped, chosen, room).map(({index, heading}) => {
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
			{height > tableFrame && (
				<Text wrap="truncate">
					{truncate(`  ${palette.dim(drawRow(headOf(panel.columns, sort), panel.columns, fit))}`, columns)}
				</Text>
			)}
			<Lines lines={lines.length > 0 ? lines : [palette.dim('  Nothing matches.')]} />
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

type Room = {readonly sort: Parameters<typeof headOf>[1]; readonly room: number};

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
