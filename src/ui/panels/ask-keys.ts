import type {AppStore} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';
import {type AskPanel, choicesOf, markedChoice, ownWords} from './ask-state.ts';

type Dependencies = {readonly store: AppStore; readonly answer: (value: string | undefined) => void};

/** Handles a key while a question of the agent is open: Enter selects the marked choice or sends the field; digits mark. */
export function pressInAsk(token: InputToken, panel: AskPanel, {store, answer}: Dependencies): void {
	const {filter, scroll, setFilter, scrollBy, keymap} = store.getState();
	const isEnter = token.type === 'key' && chordOf(token) === 'enter';
	const {choices, form} = panel;
	if (choices.length > 0) {
		const marked = markedChoice(panel, scroll);
		const digit = token.type === 'text' && /^[1-9]$/.test(token.text) ? Number(token.text) - 1 : -1;
		if (isEnter) {
			answer(choices[marked]?.label ?? ownWords);
		} else if (digit >= 0 && digit < choicesOf(panel)) {
			scrollBy(digit - marked);
		}

		return;
	}

	if (!isEnter) {
		const edited = editLine(filter, token, keymap);
		if (edited !== filter) {
			setFilter(edited);
		}
	} else if (filter.text.trim() || form?.mayBeEmpty) {
		answer(filter.text.trim());
	}
}
