import {chordOf, type InputToken, type KeyToken} from '../terminal/input/token.ts';
import {paste, replace, type} from './editor-edit.ts';
import {operations} from './editor-keys.ts';
import {type ComposerState, emptyComposer} from './editor-state.ts';
import {accepted, unfolded} from './folds.ts';

/** What the composer asks of its owner. */
export type ComposerAction =
	/** Enter on a prompt that is not blank: `text` has every paste in full. */
	| {readonly type: 'submit'; readonly text: string}
	/** A key that the composer has no use for. */
	| {readonly type: 'key'; readonly token: KeyToken};

export type ComposerStep = {readonly state: ComposerState; readonly action?: ComposerAction};

/** The window in which the prompt is shown, in cells: Up and Down go by what is seen. */
export type ComposerWindow = {readonly columns: number};

/**
 * Applies one token. Pure, total and cheap: no key looks at more of the text than the neighbours of the caret, but Up and
 * Down, which wrap it once. Mouse, focus and replies change nothing. All tokens of one turn of the event loop may be
 * applied before anything is drawn.
 */
export function reduceComposer(state: ComposerState, token: InputToken, {columns}: ComposerWindow): ComposerStep {
	switch (token.type) {
		case 'text':
			return {state: type(state, token.text)};
		case 'paste':
			return {state: paste(state, token.text, token.truncated)};
		case 'key': {
			if (token.name === 'enter') {
				return enter(state, token);
			}

			const changed = operations[chordOf(token)]?.(state, Math.max(1, Math.floor(columns)));
			return changed ? {state: changed} : {state, action: {type: 'key', token}};
		}
		default:
			return {state};
	}
}

/** Enter sends. With any modifier, or behind a backslash (which goes away), it breaks the line. */
function enter(state: ComposerState, token: KeyToken): ComposerStep {
	const {text, caret} = state;
	if (token.ctrl || token.alt || token.shift) {
		return {state: replace(state, caret, caret, '\n')};
	}

	if (text[caret - 1] === '\\') {
		return {state: replace(state, caret - 1, caret, '\n')};
	}

	const expanded = expandedText(state);
	if (expanded.trim() === '') {
		return {state, action: {type: 'key', token}};
	}

	return {state: cleared(state), action: {type: 'submit', text: expanded}};
}

/** An empty prompt that keeps the history and the kill ring. */
export function cleared(state: ComposerState): ComposerState {
	const kills = state.kills.map(entry => unfolded(entry, state.folds, 'text'));
	return {...emptyComposer, kills, history: state.history, position: state.history.length};
}

/** Replaces `start` to `end` of the text, as a completion does, and puts the caret behind it. Undo takes it back. */
export function replaceRange(state: ComposerState, start: number, end: number, text: string): ComposerState {
	return replace(state, start, end, accepted(text));
}

/** Replaces the whole prompt, as an editor does. Undo takes it back. */
export function setComposerText(state: ComposerState, text: string): ComposerState {
	return replaceRange(state, 0, state.text.length, text);
}

/** The prompt as it is sent: with every paste in full. */
export function expandedText(state: ComposerState): string {
	return unfolded(state.text, state.folds, 'text');
}
