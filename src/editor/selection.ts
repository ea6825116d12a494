import {kill, moveTo, replace} from './editor-edit.ts';
import type {ComposerState} from './editor-state.ts';
import {nextBoundary} from './graphemes.ts';
import {lineEnd, lineStart} from './motion.ts';

export type Selection = {readonly start: number; readonly end: number};

/** Returns the selected part of the text; undefined if nothing is selected. */
export function selectionOf({text, caret, chain}: ComposerState): Selection | undefined {
	if (chain.kind !== 'select') {
		return undefined;
	}

	const start = Math.min(chain.anchor, caret);
	const last = Math.max(chain.anchor, caret);
	if (chain.extent === 'lines') {
		return {start: lineStart(text, start), end: Math.min(text.length, lineEnd(text, last) + 1)};
	}

	const end = chain.extent === 'inclusive' ? nextBoundary(text, last) : last;
	return end > start ? {start, end} : undefined;
}

/** Moves the caret as `move` does, and selects what is between its first place and the new one. */
export function extendSelection(state: ComposerState, move: (state: ComposerState) => ComposerState): ComposerState {
	const anchor = state.chain.kind === 'select' ? state.chain.anchor : state.caret;
	return moveTo(state, move(state).caret, {kind: 'select', anchor});
}

/** Replaces what is selected, and returns undefined if nothing is. The text goes to the kill ring if `isKept`. */
export function replaceSelection(state: ComposerState, inserted: string, isKept = false): ComposerState | undefined {
	const selected = selectionOf(state);
	if (!selected) {
		return undefined;
	}

	const {start, end} = selected;
	return isKept ? kill({...state, caret: end}, start, end) : replace(state, start, end, inserted);
}
