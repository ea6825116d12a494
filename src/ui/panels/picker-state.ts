import {narrowChoices} from '../../command/picker/picker-filter.ts';
import type {Choice, Panel} from '../../store/view-slice.ts';

export type PickPanel = Extract<Panel, {kind: 'pick'}>;

type PickerState = {
	readonly found: readonly Choice[];
	/** Index in `found` of the choice that Enter selects; 0 if nothing matches. */
	readonly chosen: number;
	/** The invalid part of the filter; Enter selects nothing then. */
	readonly fault: string | undefined;
};

/** Returns what a picker shows after `moved` steps of the arrow keys. Both the view and the keys use it. */
export function pickerState(
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

/** Most rows of a picker in a low window, without its preview. */
const mostRows = 14;
/** What a picker leaves of a high window. */
const rowsBeside = 12;

/** Returns the rows that a picker needs in a window of so many rows. */
export function pickerRows({choices}: PickPanel, rows: number): number {
	const preview = previewHeight(choices);
	const headings = new Set(choices.flatMap(({group}) => group ?? [])).size;
	const most = Math.max(mostRows, rows - rowsBeside);
	return Math.min(most, choices.length + headings + 2) + (preview > 0 ? preview + 1 : 0);
}

/** Returns the rows of the highest preview. */
function previewHeight(choices: readonly Choice[]): number {
	return choices.reduce((most, {preview = []}) => Math.max(most, preview.length), 0);
}

/** Returns the rows that the preview gets of a picker's height: none if the list would have too few. */
export function previewRows({choices}: PickPanel, height: number): number {
	const wanted = previewHeight(choices) + 1;
	return wanted > 1 && height - wanted >= Math.min(choices.length, leastChoices) + 2 ? wanted : 0;
}

/** Fewest choices beside a preview. */
const leastChoices = 3;

/** The label before the filter. */
export const filterLabel = 'filter ';

/** Returns the row of the filter: below the title, at the top of a low window, undefined in a very low one. */
export function filterRow(height: number): number | undefined {
	return height > 2 ? 1 : height === 2 ? 0 : undefined;
}
