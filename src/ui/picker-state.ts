import {narrowChoices} from '../command/picker-filter.ts';
import type {ComposerState} from '../store/composer.ts';
import type {Choice, Panel} from '../store/view-slice.ts';
import {safeLine} from '../terminal/safe-text.ts';
import {lineWidth} from '../terminal/width.ts';

export type PickPanel = Extract<Panel, {kind: 'pick'}>;

type PickerState = {
	readonly found: readonly Choice[];
	/** Index in `found` of the one that Enter takes; 0 where nothing is found. */
	readonly chosen: number;
	/** Which part of the filter is not understood; Enter takes nothing then. */
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

const label = 'filter ';

/** The line in which the filter is typed, at most `columns` wide, and the cell of its caret. */
export function filterLine({text, caret}: ComposerState, columns: number) {
	const room = Math.max(1, columns - label.length - 1);
	const graphemes = Array.from(safeLine(text.slice(0, caret)));
	// A long filter is shown from where its caret is still seen.
	while (lineWidth(graphemes.join('')) > room) {
		graphemes.shift();
	}

	const before = graphemes.join('');
	return {label, text: before + safeLine(text.slice(caret)), column: label.length + lineWidth(before)};
}

/** The row of the filter within the picker: under the title, alone in a low window, undefined in a lower one. */
export function filterRow(height: number): number | undefined {
	return height > 2 ? 1 : height === 2 ? 0 : undefined;
}
