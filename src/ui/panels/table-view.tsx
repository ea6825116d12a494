import {useEffect, useMemo, useState} from 'react';
import type {TablePanel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {useApp, useUi} from '../context.ts';
import {Box, Text, TextInput} from '../ink.ts';
import {Lines} from '../lines.tsx';
import {arrange, drawRow, fitColumns, headOf, rowsOf, sortAfter} from './table-rows.ts';

type Props = {
	readonly panel: TablePanel;
	/** Rows that it may fill. */
	readonly height: number;
};

/** Lines around the rows: the title, the filter, the head. */
export const tableFrame = 3;

/** A table that is longer than the window: what is typed filters it, Tab sorts it, Enter opens a row, Ctrl+T tells times in full. */
export function TableView({panel, height}: Props) {
	const {palette, answer} = useUi();
	const columns = useApp(state => state.size.columns);
	const moved = useApp(state => state.scroll);
	const scrollBy = useApp(state => state.scrollBy);
	const sorted = useApp(state => state.sorted);
	const exact = useApp(state => state.exact);
	const [filter, setFilter] = useState('');
	const rows = useMemo(() => rowsOf(panel, exact), [panel, exact]);
	const fit = useMemo(() => fitColumns(panel.columns, rows, columns - 2), [panel, rows, columns]);
	const sort = useMemo(() => sortAfter(sorted, panel.columns.length), [panel, sorted]);
	const found = useMemo(() => arrange(rows, filter, sort), [rows, filter, sort]);
	const chosen = Math.max(0, Math.min(moved, found.length - 1));
	// Keys count on beyond both ends; the count comes back, so that the next key the other way moves at once.
	useEffect(() => {
		if (chosen !== moved) {
			scrollBy(chosen - moved);
		}
	}, [chosen, moved, scrollBy]);

	const room = Math.max(1, height - tableFrame);
	const start = Math.max(0, Math.min(chosen - Math.floor(room / 2), found.length - room));
	const lines = found.slice(start, start + room).map((row, index) => {
		const here = start + index === chosen;
		const line = drawRow(row.cells, panel.columns, fit);
		return truncate(here ? palette.accent('❯ ') + palette.label(line) : `  ${line}`, columns);
	});
	const opens = panel.opens !== undefined;
	const open = () => {
		const id = panel.opens?.ids[found[chosen]?.index ?? -1];
		if (id !== undefined) {
			answer(id);
		}
	};

	const count = found.length === rows.length ? `${rows.length}` : `${found.length} of ${rows.length}`;
	const times = rows.some(row => row.times.some(time => time !== undefined));
	const keys = [
		'Tab sorts',
		...(opens ? ['Enter opens'] : []),
		...(times ? [`Ctrl+T ${exact ? 'ages' : 'exact times'}`] : []),
		'Esc closes',
	].join(' · ');
	const title = safeLine(panel.title);
	const helps = leftOut(fit.dropped).map(without => `${count}${without} · ${keys}`);
	const help = helps.find(text => lineWidth(title) + 1 + lineWidth(text) <= columns) ?? helps.at(-1) ?? keys;
	return (
		<Box flexDirection="column">
			{height > 2 && <Text wrap="truncate">{truncate(`${palette.label(title)} ${palette.dim(help)}`, columns)}</Text>}
			{height > 1 && (
				<Box height={1} flexShrink={0} overflow="hidden">
					<Text>{palette.dim('filter ')}</Text>
					<TextInput
						value={filter}
						onChange={text => {
							setFilter(text.replace(/[\r\n]/g, ' '));
							scrollBy(-moved);
						}}
						onSubmit={open}
					/>
				</Box>
			)}
			{height > tableFrame && (
				<Text wrap="truncate">
					{truncate(`  ${palette.dim(drawRow(headOf(panel.columns, sort), panel.columns, fit))}`, columns)}
				</Text>
			)}
			<Lines lines={lines.length > 0 ? lines : [palette.dim('  Nothing matches.')]} />
		</Box>
	);
}

/** Ways to say for which columns the window is too narrow, the better one first: the keys beside it need room, too. */
function leftOut(dropped: readonly string[]): readonly string[] {
	const counted = ` without ${dropped.length} columns`;
	switch (dropped.length) {
		case 0:
			return [''];
		case 1:
			return [` without ${dropped[0]}`];
		case 2:
			return [` without ${dropped.join(' and ')}`, counted];
		default:
			return [counted];
	}
}
