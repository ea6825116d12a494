import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Choice} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {drawLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {rowsAround, titleRule} from './panel-rows.ts';
import {filterLabel, filterRow, type PickPanel, pickerState, previewRows} from './picker-state.ts';

type Props = {
	readonly panel: PickPanel;
	readonly height: number;
};

/** Fewest cells of a name before its detail is cut. */
const minNameWidth = 20;

/** Shows a list with a filter: typing narrows it, the arrow keys move, Enter selects, Esc cancels. */
export function Picker({panel, height}: Props) {
	const {palette} = useUi();
	const {title, choices, current, filters} = panel;
	const columns = useApp(state => state.size.columns);
	const style = {columns, palette};
	const keymap = useKeymap(panelKeys);
	const moved = useApp(state => state.scroll);
	const filter = useApp(state => state.filter);
	const note = useApp(({guard}) => guard.note);
	const {found, chosen, fault} = pickerState(panel, filter.text, moved);

	// In a very low window the choices come first, then the filter, then the title.
	const row = filterRow(height);
	const preview = previewRows(panel, height);
	const room = Math.max(1, height - 2 - preview);
	const visible = rowsAround(found, chosen, room);
	const shown = visible.flatMap(({index, heading}) => (heading === undefined ? (found[index] ?? []) : []));
	const nameOf = (choice: Choice) => safeLine(choice.label) + (choice.id === current ? ' (now)' : '');
	const names = shown.map(nameOf);
	// Details are aligned. A long name never pushes them out of a list with filters or groups.
	const width =
		filters || shown[0]?.group !== undefined ? nameWidth(names, shown, columns) : Math.min(widest(names), columns - 2);
	const rows = visible.map(({index, heading}) => {
		const choice = found[index];
		if (heading !== undefined || !choice) {
			const [name = '', ...legend] = safeLine(heading ?? '').split(' · ');
			return truncate(palette.label(name) + palette.dim(legend.map(part => ` · ${part}`).join('')), columns);
		}

		const {detail} = choice;
		const here = index === chosen;
		const name = nameOf(choice);
		const text = detail ? padEnd(truncate(name, width), width) : truncate(name, width);
		const details = detail ? palette.dim(`  ${safeLine(detail)}`) : '';
		return truncate((here ? palette.accent('❯ ') + palette.selected(text) : `  ${text}`) + details, columns);
	});

	const count = filter.text ? `${found.length} of ${choices.length}` : String(choices.length);
	const hints = [...(note ? [note] : hintsOf(keymap, [['select', 'panel.open']])), 'Esc cancel'];
	const named = palette.label(safeLine(title));
	const warning = fault === undefined ? undefined : palette.warning(safeLine(fault));
	const typed = drawLine(filterLabel, filter, columns);
	const hint = filters && filter.text === '' ? filters.map(({example}) => example).join(' ') : typed.text;
	const lines = [
		...(row === 1
			? [
					titleRule(
						warning === undefined
							? fitTitle(named, {facts: [` (${count})`], hints, role: palette.dim}, columns)
							: `${named} ${palette.dim(`(${count}) ·`)} ${warning}`,
						style,
					),
				]
			: []),
		...(row === undefined ? [] : [palette.dim(filterLabel) + (filter.text === '' ? palette.dim(hint) : hint)]),
		...(row !== 1 && warning !== undefined ? [warning] : rows.length > 0 ? rows : [palette.dim('  Nothing matches.')]),
	];
	const below = preview > 0 ? ['', ...(found[chosen]?.preview ?? [])] : [];
	return <Lines lines={[...lines, ...below].map(line => truncate(line, columns))} />;
}

function nameWidth(names: readonly string[], shown: readonly Choice[], columns: number): number {
	const detailWidth = Math.max(0, ...shown.map(({detail = ''}) => lineWidth(safeLine(detail))));
	return Math.min(widest(names), Math.max(minNameWidth, columns - detailWidth - 4));
}

function widest(names: readonly string[]): number {
	return Math.max(0, ...names.map(lineWidth));
}
