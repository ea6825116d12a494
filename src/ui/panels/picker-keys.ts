import type {PanelAction} from '../../editor/keymap/default-keys.ts';
import type {AppStore} from '../../store/store.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';
import {type PickPanel, pickerState} from './picker-state.ts';

type Dependencies = {readonly store: AppStore; readonly answer: (value: string | undefined) => void};

/**
 * Handles a key while a picker is open, with its action: one selects the marked choice, any other key edits the filter. The
 * store is updated at once, so that keys that arrive together work as they would one by one.
 */
export function pressInPicker(
	token: InputToken,
	action: PanelAction | undefined,
	panel: PickPanel,
	{store, answer}: Dependencies,
): void {
	const {filter, scroll, setFilter, scrollBy, keymap} = store.getState();
	const {found, chosen, fault} = pickerState(panel, filter.text, scroll);
	if (action === 'panel.open') {
		const choice = found[chosen];
		if (choice && fault === undefined) {
			answer(choice.id);
		}

		return;
	}

	if (action === 'panel.first' || action === 'panel.last') {
		scrollBy((action === 'panel.first' ? 0 : found.length - 1) - chosen);
		return;
	}

	const edited = editLine(filter, token, keymap);
	if (edited !== filter) {
		setFilter(edited);
	}
}
