import type {AppStore} from '../../store/store.ts';
import type {Panel} from '../../store/view-slice.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {pressInPicker} from './picker-keys.ts';
import {answerTo, type Question} from './question.ts';

/** What the keys of an open panel work on. */
export type PanelKeys = {
	readonly store: AppStore;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** What the keys of a login that waits for the browser do. */
	readonly pressInDevicePanel: (chord: string, panel: Extract<Panel, {kind: 'device'}>) => void;
	/** Hands a key to the one-line field that has the focus. */
	readonly feed: (token: InputToken) => void;
	/** True for a key that was meant for the prompt: the question had hardly come, or somebody is typing. */
	readonly isTypedAhead: (question: Question) => boolean;
};

/** Rows that Page Up and Page Down move by. */
const page = 8;

/** How far a key scrolls a panel, in rows down. */
const steps: ReadonlyMap<string, number> = new Map([
	['up', -1],
	['down', 1],
	['page-up', -page],
	['page-down', page],
]);

/**
 * What a key does while a panel is open. False for one that the prompt may have, since the panel only shows lines, or
 * asks a question of which it is no answer.
 */
export function pressInPanel(token: InputToken, panel: Panel, keys: PanelKeys): boolean {
	const {store, answer, feed, pressInDevicePanel, isTypedAhead} = keys;
	const {scrollBy, sortBy, toggleExact, composer} = store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	// What is typed fast comes as one text: the word “down” in a filter is no arrow.
	const typed = token.type === 'text' ? token.text : chord;
	const rows = steps.get(chord);
	if (chord === 'escape' || chord === 'ctrl+c') {
		answer(undefined);
	} else if (rows !== undefined) {
		scrollBy(rows);
	} else if (panel.kind === 'confirm') {
		if (isTypedAhead(panel)) {
			return false;
		}

		const given = chord === 'enter' ? undefined : answerTo(panel, typed);
		if (given === false || (given === undefined && chord !== 'enter' && !typed.trim())) {
			// A key without text edits what is in the prompt, where something is.
			return token.type === 'key' && composer.text === '';
		}

		answer(given);
	} else if (panel.kind === 'pick') {
		pressInPicker(token, panel, {store, answer});
	} else if (panel.kind === 'device') {
		pressInDevicePanel(typed, panel);
	} else if (panel.kind === 'table' && (chord === 'tab' || chord === 'shift+tab')) {
		sortBy(chord === 'tab' ? 1 : -1);
	} else if (panel.kind === 'table' && chord === 'ctrl+t') {
		toggleExact();
	} else if (panel.kind === 'lines') {
		return false;
	} else {
		feed(token);
	}

	return true;
}
