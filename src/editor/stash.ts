import {cleared} from './editor.ts';
import type {ComposerState} from './editor-state.ts';

/** A draft that was put aside, with its pastes. */
export type StashedDraft = Pick<ComposerState, 'text' | 'caret' | 'folds'>;

/** Returns an empty prompt, and the draft that was in it. */
export function stashed(state: ComposerState): {readonly state: ComposerState; readonly draft: StashedDraft} {
	const {text, caret, folds} = state;
	return {state: cleared(state), draft: {text, caret, folds}};
}

/** Returns a prompt that holds a draft again, in place of its own text. */
export function unstashed(state: ComposerState, draft: StashedDraft): ComposerState {
	return {...cleared(state), ...draft};
}
