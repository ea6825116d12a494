import {reduceComposer} from '../store/composer.ts';
import type {AppStore} from '../store/store.ts';
import type {InputToken} from '../terminal/input-token.ts';
import {type PickPanel, pickerState} from './picker-state.ts';

type Dependencies = {readonly store: AppStore; readonly answer: (value: string | undefined) => void};

/** The filter is one line, however wide the window is. */
const oneLine = {columns: 10_000};

/**
 * What is typed while a picker is open: Enter takes the marked choice, everything else edits the filter as it does the
 * prompt. All of it at once, so that keys that come together do what they would do one by one.
 */
export function pressInPicker(token: InputToken, panel: PickPanel, {store, answer}: Dependencies): void {
	const {filter, scroll, setFilter} = store.getState();
	if (token.type === 'key' && token.name === 'enter') {
		const {found, chosen, fault} = pickerState(panel, filter.text, scroll);
		const choice = found[chosen];
		if (choice && fault === undefined) {
			answer(choice.id);
		}

		return;
	}

	const typed = token.type === 'paste' ? ({type: 'text', text: lineOf(token.text)} as const) : token;
	const {state} = reduceComposer(filter, typed, oneLine);
	if (state !== filter && !state.text.includes('\n')) {
		setFilter(state);
	}
}

/** A paste as one line: the line end that keys are copied with goes, other ones become blanks. */
function lineOf(text: string): string {
	return text.trim().replaceAll(/\s+/g, ' ').slice(0, 1000);
}
