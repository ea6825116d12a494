import type {ComposerState} from './editor-state.ts';
import {accepted} from './folds.ts';

/**
 * Sets a new list of earlier prompts, the latest last. The current prompt stays, and what was typed elsewhere comes back as
 * `walkHistory` says: a list may change while the user looks at an entry of it.
 */
export function setHistory(state: ComposerState, entries: readonly string[]): ComposerState {
	const history = entries.map(accepted).filter((entry, index, all) => entry !== '' && entry !== all[index - 1]);
	const placeOf = (position: number): number => {
		const entry = state.history[position];
		return entry === undefined ? history.length : history[position] === entry ? position : history.lastIndexOf(entry);
	};
	const position = placeOf(state.position);
	const drafts = [...state.drafts].map(([place, draft]) => [placeOf(place), draft] as const);
	return {
		...state,
		history,
		position: position === -1 ? history.length : position,
		drafts: new Map(drafts.filter(([place]) => place !== -1)),
	};
}

/**
 * Shows the entry `step` places away (-1 is the earlier one); returns undefined if there is none. Text that was typed
 * into the new prompt or an entry comes back when the user returns to it, and so does what can be undone there.
 */
export function walkHistory(state: ComposerState, step: -1 | 1): ComposerState | undefined {
	const position = state.position + step;
	if (position < 0 || position > state.history.length) {
		return undefined;
	}

	const {text, edits, undone} = state;
	const drafts = new Map(state.drafts).set(state.position, {text, edits, undone});
	const draft = drafts.get(position) ?? {text: state.history[position] ?? '', edits: [], undone: []};
	return {...state, ...draft, caret: draft.text.length, chain: {kind: 'none'}, position, drafts};
}
