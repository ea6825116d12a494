import type {AppStore} from '../../store/store.ts';
import type {Panel} from '../../store/view-slice.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {pressInAsk} from './ask-keys.ts';
import {pressInEditor} from './edit-keys.ts';
import {pressInPicker} from './picker-keys.ts';
import {answerTo, chosenAnswer, isList, type Question} from './question.ts';

/** What the key handlers of panels depend on. */
export type PanelKeys = {
	readonly store: AppStore;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Handles a key while a login waits for the browser. */
	readonly pressInDevicePanel: (chord: string, panel: Extract<Panel, {kind: 'device'}>) => void;
	/** Passes a key to the focused one-line field. */
	readonly feed: (token: InputToken) => void;
	/** Returns true for a key meant for the prompt: the question has just appeared, or the user is typing. */
	readonly isTypedAhead: (question: Pick<Question, 'askedAt'>) => boolean;
};

/** Rows that Page Up and Page Down scroll. */
const page = 8;

/** How far a key scrolls a panel, in rows down. */
const steps: ReadonlyMap<string, number> = new Map([
	['up', -1],
	['down', 1],
	['page-up', -page],
	['page-down', page],
	['shift+up', -1],
	['shift+down', 1],
]);

/** How far a key moves the mark in a list of answers. */
const marks: ReadonlyMap<string, number> = new Map([
	['up', -1],
	['down', 1],
]);

/**
 * Handles a key while a panel is open. Returns false for a key that the prompt should handle: the panel only shows lines,
 * or the key doesn't answer its question.
 */
export function pressInPanel(token: InputToken, panel: Panel, keys: PanelKeys): boolean {
	const {store, answer, feed, pressInDevicePanel, isTypedAhead} = keys;
	const {scrollBy, sortBy, toggleExact} = store.getState();
	if (panel.kind === 'edit') {
		pressInEditor(token, store, answer);
		return true;
	}

	const chord = token.type === 'key' ? chordOf(token) : '';
	// Fast typing arrives as one text: the word “down” in a filter is not the arrow key.
	const typed = token.type === 'text' ? token.text : chord;
	const rows = panel.kind === 'confirm' && isList(panel) && marks.has(chord) ? undefined : steps.get(chord);
	if (chord === 'escape' || chord === 'ctrl+c') {
		answer(undefined);
	} else if (rows !== undefined) {
		scrollBy(rows);
	} else if (panel.kind === 'confirm') {
		return pressInQuestion(token, panel, keys);
	} else if (panel.kind === 'ask') {
		if (isTypedAhead(panel)) {
			return false;
		}

		pressInAsk(token, panel, {store, answer});
	} else if (panel.kind === 'pick') {
		pressInPicker(token, panel, {store, answer});
	} else if (panel.kind === 'device') {
		if (typed === 'p' && panel.pastes) {
			answer('paste');
		} else {
			pressInDevicePanel(typed, panel);
		}
	} else if (panel.kind === 'table' && (chord === 'tab' || chord === 'shift+tab')) {
		sortBy(chord === 'tab' ? 1 : -1);
	} else if (panel.kind === 'table' && chord === 'ctrl+t') {
		toggleExact();
	} else if (panel.kind === 'lines') {
		return panel.closesOnKey === true && closeOnKey(token, answer);
	} else {
		feed(token);
	}

	return true;
}

/** Handles a key while a question is open. Returns false for a key that is meant for the prompt. */
function pressInQuestion(token: InputToken, panel: Question, {store, answer, isTypedAhead}: PanelKeys): boolean {
	if (isTypedAhead(panel)) {
		return false;
	}

	const {composer, marked, markBy} = store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	const moved = isList(panel) ? marks.get(chord) : undefined;
	const typed = token.type === 'text' ? token.text : chord;
	const given = answerTo(panel, typed);
	if (moved !== undefined) {
		markBy(moved);
	} else if (chord === 'enter') {
		answer(chosenAnswer(panel, isList(panel) ? marked : 0));
	} else if (given === false || (given === undefined && !typed.trim())) {
		// A key without text edits the prompt, if that has any.
		return token.type === 'key' && composer.text === '';
	} else {
		answer(given);
	}

	return true;
}

/** Closes the panel on anything that is typed. Returns true for the key that opened it, which does nothing else then. */
function closeOnKey(token: InputToken, answer: PanelKeys['answer']): boolean {
	if (token.type === 'key' || token.type === 'text' || token.type === 'paste') {
		answer(undefined);
	}

	return token.type === 'text' && token.text === '?';
}
