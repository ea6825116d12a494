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
export function pickerState({choices, current, filters}: PickPanel, filter: string, moved: number): PickerState {
	const {found, fault} = narrowChoices(choices, filter, {filters});
	// The list opens at the current choice.
	const first = filter ? 0 : found.findIndex(({id}) => id === current);
	const count = Math.max(1, found.length);
	return {found, chosen: (((Math.max(0, first) + moved) % count) + count) % count, fault};
}

/** The label before the filter. */
export const filterLabel = 'filter ';

/** Returns the row of the filter: below the title, at the top of a low window, undefined in a very low one. */
export function filterRow(height: number): number | undefined {
	return height > 2 ? 1 : height === 2 ? 0 : undefined;
}
