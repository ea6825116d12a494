import type {AppStore} from '../../store/store.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';
import {type PickPanel, pickerState} from './picker-state.ts';

type Dependencies = {readonly store: AppStore; readonly answer: (value: string | undefined) => void};

/**
 * Handles a key while a picker is open: Enter selects the marked choice, any other key edits the filter. The store is
 * updated at once, so that keys that arrive together work as they would one by one.
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

	const edited = editLine(filter, token);
	if (edited !== filter) {
		setFilter(edited);
	}
}
