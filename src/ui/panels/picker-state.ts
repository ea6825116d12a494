import {narrowChoices} from '../../command/picker/picker-filter.ts';
import type {Choice, Panel} from '../../store/view-slice.ts';

export type PickPanel = Extract<Panel, {kind: 'pick'}>;

type PickerState = {
	readonly found: readonly Choice[];
	/** Index in `found` of the one that Enter selects; 0 where nothing is found. */
	readonly chosen: number;
	/** Which part of the filter is not understood; Enter selects nothing then. */
	readonly fault: string | undefined;
};

/** What a picker shows after so many steps of the arrows: the drawing and the keys read the same. */
export function pickerState({choices, current, filters}: PickPanel, filter: string, moved: number): PickerState {
	const {found, fault} = narrowChoices(choices, filter, {filters});
	// The list opens at what is in use now.
	const first = filter ? 0 : found.findIndex(({id}) => id === current);
	const count = Math.max(1, found.length);
	return {found, chosen: (((Math.max(0, first) + moved) % count) + count) % count, fault};
}

/** What stands before the filter that is typed. */
export const filterLabel = 'filter ';

/** The row of the filter within the picker: under the title, alone in a low window, undefined in a lower one. */
export function filterRow(height: number): number | undefined {
	return height > 2 ? 1 : height === 2 ? 0 : undefined;
}
