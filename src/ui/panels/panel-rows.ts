import type {ComposerState} from '../../editor/editor-state.ts';
import type {PanelAction} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import {plainText} from '../../terminal/text/ansi.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {drawLine} from '../line-field.ts';
import type {PanelRoom} from './panel.ts';

type Style = {
	readonly columns: number;
	readonly palette: Palette;
	/** By default that of a panel that gets the keys. */
	readonly weight?: 'pane' | 'question';
};

/** Returns a title with its own colours in a rule as wide as the window; a long one has no rule. */
export function titleRule(title: string, {columns, palette, weight = 'question'}: Style): string {
	const left = columns - lineWidth(title) - lead - 1;
	const end = left > 1 ? ` ${palette.rule(weight, left - 1)}` : '';
	return left < 0 ? truncate(title, columns) : `${palette.rule(weight, lead)} ${title}${end}`;
}

/** Cells of the rule before a title. */
const lead = 2;

/** Returns lines as they look while another part has the focus. */
export function dimmed(lines: readonly string[], palette: Palette): readonly string[] {
	return lines.map(line => palette.dim(plainText(line)));
}

/** Returns at most so many rows of a wrapped text. The last one says if more are left out. */
export function firstRows(rows: readonly string[], most: number, columns: number): readonly string[] {
	return rows.length <= most
		? rows
		: rows.slice(0, most).map((row, index) => (index === most - 1 ? truncate(`${row} …`, columns) : row));
}

/** Returns what the keys of a list of answers do, after other hints. */
export function listKeys(keymap: Keymap<PanelAction>, columns: number, first: readonly string[] = []): string {
	const move = hintsOf(keymap, [['move', 'panel.up', 'panel.down']]);
	return answerKeys([...first, ...move], ['Enter select', 'Esc cancel'], columns);
}

/**
 * Returns hints on one line, with the keys that answer a question last: they are left out after all others, and stand alone in a
 * narrow window, without what they do.
 */
export function answerKeys(others: readonly string[], answers: readonly string[], columns: number): string {
	const kept = [...others, ''].map((_, leftOut) => [...others.slice(0, others.length - leftOut), ...answers]);
	const keys = kept.map(hints => hints.map(hint => hint.split(' ')[0]));
	const lines = [...kept, ...keys].map(hints => hints.join(' · '));
	return lines.find(line => lineWidth(line) <= columns) ?? '';
}

/** A row of a list: an entry by its index, or the heading of the group that begins with it. */
type GroupedRow = {readonly index: number; readonly heading?: string};

/** Returns the rows of a list of entries around the chosen one, with headings above the first entries of groups. */
export function rowsAround<Entry extends {readonly group?: string | undefined}>(
	entries: readonly Entry[],
	chosen: number,
	room: number,
): readonly GroupedRow[] {
	// Only what may be shown is looked at: a list may have many entries.
	const from = Math.max(0, chosen - room);
	const rows = entries.slice(from, chosen + room + 1).flatMap(({group}, offset): readonly GroupedRow[] => {
		const index = from + offset;
		const isFirst = group !== undefined && group !== entries[index - 1]?.group;
		return isFirst && room > 1 ? [{index, heading: group}, {index}] : [{index}];
	});
	const at = rows.findIndex(({index, heading}) => index === chosen && heading === undefined);
	const start = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
	return rows.slice(start, start + room);
}

/** Returns the rows that a list has for its entries: one less if a row must say how many are left out. */
export function listRoom(count: number, room: number): number {
	return count > room && room > minRowsWithCount ? room - 1 : room;
}

const minRowsWithCount = 2;

/** Returns the row below a list that says how many of its entries are out of sight: `↑ 2 · ↓ 8 more`. None if all are in sight. */
export function moreRow(
	{first, shown, count}: {readonly first: number; readonly shown: number; readonly count: number},
	room: number,
	palette: Palette,
): readonly string[] {
	const below = count - first - shown;
	const parts = [['↑', first] as const, ['↓', below] as const].filter(([, hidden]) => hidden > 0);
	const told = parts.map(part => part.join(' ')).join(' · ');
	return told && room > minRowsWithCount ? [palette.dim(`  ${told} more`)] : [];
}

/** Returns the rows of a list around the chosen entry, and below them how many of its `count` entries are out of sight. */
export function listPart<Entry extends {readonly group?: string | undefined}>(
	entries: readonly Entry[],
	{chosen, room, count = entries.length}: {readonly chosen: number; readonly room: number; readonly count?: number},
	palette: Palette,
): {readonly visible: readonly GroupedRow[]; readonly more: readonly string[]} {
	const shownIn = (rows: readonly GroupedRow[]) => rows.filter(({heading}) => heading === undefined).length;
	const all = rowsAround(entries, chosen, room);
	const visible = shownIn(all) < count ? rowsAround(entries, chosen, listRoom(count + room, room)) : all;
	return {visible, more: moreRow({first: visible[0]?.index ?? 0, shown: shownIn(visible), count}, room, palette)};
}

/** The label before the filter of a list. */
export const filterLabel = 'filter ';

/** Returns the row of the filter: below the title, at the top of a low window, undefined in a very low one. */
export function filterRow(height: number): number | undefined {
	return height > 2 ? 1 : height === 2 ? 0 : undefined;
}

/** Returns the place of the caret in the filter of a list; undefined if the window is too low for the filter. */
export function filterCaret(filter: ComposerState, {columns, height}: PanelRoom) {
	const row = filterRow(height);
	return row === undefined ? undefined : {row, column: drawLine(filterLabel, filter, columns).column};
}
