import {narrowChoices} from '../../command/picker/picker-filter.ts';
import type {Choice, FilterField} from '../../core/question.ts';
import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {cutApart, fitFacts, fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {drawLine, editLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {cancels, closes, ignore, type PanelModule, type PanelProps} from './panel.ts';
import {filterCaret, filterLabel, filterRow, listPart, titleRule} from './panel-rows.ts';

/** A list with a filter. */
export type PickPanel = {
	readonly kind: 'pick';
	readonly title: string;
	/** When it opened by itself, on the clock of a question; undefined for one that the user opened. */
	readonly askedAt?: number;
	readonly choices: readonly Choice[];
	readonly current?: string;
	/** The choice that the list opens at, if not the current one. */
	readonly opensAt?: string | undefined;
	readonly filters?: readonly FilterField[];
};

/** Most rows of a picker in a low window, without its preview. */
const mostRows = 14;
/** What a picker leaves of a high window. */
const rowsBeside = 12;

export const pickPanel: PanelModule<PickPanel> = {
	initial: () => ({manner: 'waits'}),

	rows({choices}, {size}) {
		const preview = previewHeight(choices);
		const headings = new Set(choices.flatMap(({group}) => group ?? [])).size;
		const most = Math.max(mostRows, size.rows - rowsBeside);
		return Math.min(most, choices.length + headings + 2) + (preview > 0 ? preview + 1 : 0);
	},

	/**
	 * A key selects the marked choice, moves the mark, or edits the filter. The store is updated at once, so that keys that arrive
	 * together work as they would one by one.
	 */
	press(pressed, panel, keys) {
		const {store, answer, isTypedAhead} = keys;
		const {filter, scroll, setFilter, scrollBy, keymap} = store.getState();
		if (cancels(pressed, keys)) {
			return true;
		}

		const {askedAt} = panel;
		if (askedAt !== undefined && isTypedAhead({askedAt})) {
			return ignore(pressed, keys);
		}

		const {token, action, rows} = pressed;
		const {found, chosen, fault} = pickerState(panel, filter.text, scroll);
		if (rows !== undefined) {
			scrollBy(rows);
		} else if (action === 'panel.open') {
			const choice = found[chosen];
			if (choice && fault === undefined) {
				answer(choice.id);
			}
		} else if (action === 'panel.first' || action === 'panel.last') {
			scrollBy((action === 'panel.first' ? 0 : found.length - 1) - chosen);
		} else if (!closes(pressed, keys)) {
			const edited = editLine(filter, token, keymap);
			if (edited !== filter) {
				setFilter(edited);
			}
		}

		return true;
	},

	draw: Picker,
	caret: (_panel, filter, room) => filterCaret(filter, room),
	title: ({title}) => title,
	isFramed: false,
};

type PickerState = {
	readonly found: readonly Choice[];
	/** Index in `found` of the choice that Enter selects; 0 if nothing matches. */
	readonly chosen: number;
	/** The invalid part of the filter; Enter selects nothing then. */
	readonly fault: string | undefined;
};

/** Returns what a picker shows after `moved` steps of the arrow keys. Both the view and the keys use it. */
function pickerState(
	{choices, current, opensAt = current, filters}: PickPanel,
	filter: string,
	moved: number,
): PickerState {
	const {found: matching, fault} = narrowChoices(choices, filter, {filters});
	const found = inGroups(matching, choices);
	// The list opens at the current choice, or another one.
	const first = filter ? 0 : found.findIndex(({id}) => id === opensAt);
	const count = Math.max(1, found.length);
	return {found, chosen: (((Math.max(0, first) + moved) % count) + count) % count, fault};
}

/** Returns choices with those of a group side by side, in the order in which the groups appear among all. */
function inGroups(found: readonly Choice[], all: readonly Choice[]): readonly Choice[] {
	const groups = [...new Set(all.map(({group}) => group))];
	return groups.length > 1
		? found.toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group))
		: found;
}

/** Fewest cells of a name before its detail is cut. */
const minNameWidth = 20;
/** Fewest cells of details before a longer name is cut: an age and an id, which tell two of one name apart. */
const minDetailWidth = 28;

/** Shows a list with a filter: typing narrows it, the arrow keys move, Enter selects, Esc cancels. */
function Picker({panel, height}: PanelProps<PickPanel>) {
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
	const {visible, more} = listPart(found, {chosen, room}, palette);
	const shown = visible.flatMap(({index, heading}) => (heading === undefined ? (found[index] ?? []) : []));
	const nameOf = (choice: Choice) => safeLine(choice.label) + (choice.id === current ? ' (now)' : '');
	const names = shown.map(nameOf);
	// Details are aligned. A long name never pushes them out of a list with filters or groups.
	const width =
		filters || shown[0]?.group !== undefined ? nameWidth(names, shown, columns) : Math.min(widest(names), columns - 2);
	const cutNames = cutApart(names, width);
	const rows = visible.map(({index, heading}) => {
		const choice = found[index];
		if (heading !== undefined || !choice) {
			const [name = '', ...legend] = safeLine(heading ?? '').split(' · ');
			return truncate(palette.label(name) + palette.dim(legend.map(part => ` · ${part}`).join('')), columns);
		}

		const here = index === chosen;
		const name = cutNames[shown.indexOf(choice)] ?? '';
		const detail = fitFacts(safeLine(choice.detail ?? ''), columns - width - 4);
		const text = detail ? padEnd(name, width) : name;
		const details = detail ? palette.dim(`  ${detail}`) : '';
		return truncate((here ? palette.accent('❯ ') + palette.selected(text) : `  ${text}`) + details, columns);
	});

	const [shownCount, total] = [found, choices].map(list => list.filter(({isOther}) => !isOther).length);
	const count = filter.text ? `${shownCount} of ${total}` : String(total);
	const hints = [...(note ? [note] : hintsOf(keymap, [['select', 'panel.open']])), 'Esc cancel'];
	const named = palette.label(safeLine(title));
	const warning = fault === undefined ? undefined : palette.warning(safeLine(fault));
	const typed = drawLine(filterLabel, filter, columns);
	const hint =
		filters && filter.text === '' ? `a word, or ${filters.map(({example}) => example).join(' ')}` : typed.text;
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
		...(row !== 1 && warning !== undefined
			? [warning]
			: rows.length > 0
				? [...rows, ...more]
				: [palette.dim('  Nothing matches.')]),
	];
	const below = preview > 0 ? ['', ...(found[chosen]?.preview ?? [])] : [];
	return <Lines lines={[...lines, ...below].map(line => truncate(line, columns))} />;
}

function nameWidth(names: readonly string[], shown: readonly Choice[], columns: number): number {
	const detailWidth = widest(shown.map(({detail = ''}) => safeLine(detail)));
	return Math.min(widest(names), Math.max(minNameWidth, columns - Math.min(detailWidth, minDetailWidth) - 4));
}

function widest(names: readonly string[]): number {
	return Math.max(0, ...names.map(lineWidth));
}

/** Returns the rows of the highest preview. */
function previewHeight(choices: readonly Choice[]): number {
	return choices.reduce((most, {preview = []}) => Math.max(most, preview.length), 0);
}

/** Returns the rows that the preview gets of a picker's height: none if the list would have too few. */
function previewRows({choices}: PickPanel, height: number): number {
	const wanted = previewHeight(choices) + 1;
	return wanted > 1 && height - wanted >= Math.min(choices.length, leastChoices) + 2 ? wanted : 0;
}

/** Fewest choices beside a preview. */
const leastChoices = 3;
