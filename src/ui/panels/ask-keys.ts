import type {AppStore} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';
import {type AskPanel, choicesOf, markedChoice, ownWords, stepsToChoice} from './ask-state.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly answer: (value: string | undefined) => void;
	readonly isTypedAhead: (question: Pick<AskPanel, 'askedAt'>) => boolean;
};

/**
 * Handles a key while a question of the agent is open: Enter selects the marked choice or sends the field; digits mark. An Enter
 * that is held down from before answers nothing, also where the user may type at once. Returns false for a key that is no answer.
 */
export function pressInAsk(token: InputToken, panel: AskPanel, {store, answer, isTypedAhead}: Dependencies): boolean {
	const {filter, scroll, setFilter, scrollBy, setGuard, keymap, guard} = store.getState();
	const isEnter = token.type === 'key' && chordOf(token) === 'enter';
	const {choices, form} = panel;
	const marked = markedChoice(panel, scroll);
	if (isEnter && !guard.isTouched && isTypedAhead({askedAt: 0})) {
		setGuard({note: 'Enter ignored: press it again'});
	} else if (isEnter && choices.length > 0) {
		if (marked === undefined) {
			setGuard({note: 'Select an answer first'});
		} else {
			answer(choices[marked]?.label ?? ownWords);
		}
	} else if (choices.length > 0) {
		const digit = token.type === 'text' && /^[1-9]$/.test(token.text) ? Number(token.text) : 0;
		if (digit === 0 || digit > choicesOf(panel)) {
			return false;
		}

		scrollBy(stepsToChoice(panel, digit - 1) - scroll);
	} else if (!isEnter) {
		const edited = editLine(filter, token, keymap);
		if (edited !== filter) {
			setFilter(edited);
		}
	} else if (filter.text.trim() || form?.mayBeEmpty) {
		answer(filter.text.trim());
	}

	return true;
}
