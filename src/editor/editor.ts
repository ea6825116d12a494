import {chordOf, type InputToken, type KeyToken} from '../terminal/input/token.ts';
import {paste, replace, type} from './editor-edit.ts';
import {operations} from './editor-keys.ts';
import {type ComposerState, emptyComposer} from './editor-state.ts';
import {accepted, unfolded} from './folds.ts';
import type {Action} from './keymap/default-keys.ts';
import {actionOf, defaultKeymap, type Keymap} from './keymap/keymap.ts';
import {textOf} from './long-text.ts';
import {pressInSelection, replaceSelection} from './selection.ts';

/** What the composer asks its owner to do. */
export type ComposerAction =
	/** Enter on a prompt that is not blank: `text` has every paste in full. */
	| {readonly type: 'submit'; readonly text: string}
	/** A key that the composer doesn't handle. */
	| {readonly type: 'key'; readonly token: KeyToken};

type ComposerStep = {readonly state: ComposerState; readonly action?: ComposerAction};

export type ComposerWindow = {
	/** The width of the prompt in cells: Up and Down move by wrapped rows. */
	readonly columns: number;
	/** The default keys without it. */
	readonly keymap?: Keymap | undefined;
};

/**
 * Applies one token. Pure and cheap: keys only read the neighbours of the caret, and Up and Down the lines beside it. Ignores mouse, focus and replies. All tokens of one turn of the event loop may be applied before a frame
 * is drawn.
 */
export function reduceComposer(state: ComposerState, token: InputToken, window: ComposerWindow): ComposerStep {
	switch (token.type) {
		case 'text':
			return {state: replaceSelection(state, accepted(token.text)) ?? type(state, token.text)};
		case 'paste':
			return {state: paste(replaceSelection(state, '') ?? state, token.text, token.truncated)};
		case 'key': {
			const {columns, keymap = defaultKeymap} = window;
			const action = actionOf(keymap, chordOf(token));
			if (action === 'prompt.send') {
				return enter(state, token);
			}

			const changed = action && applied(state, action, Math.max(1, Math.floor(columns)));
			return changed ? {state: changed} : {state, action: {type: 'key', token}};
		}
		default:
			return {state};
	}
}

function applied(state: ComposerState, action: Action, columns: number): ComposerState | undefined {
	return pressInSelection(state, action, operations, columns) ?? operations[action]?.(state, columns);
}

/** Sends the prompt. After a backslash, which is removed, breaks the line. */
function enter(state: ComposerState, token: KeyToken): ComposerStep {
	const {caret} = state;
	if (textOf(state).charAt(caret - 1) === '\\') {
		return {state: replace(state, caret - 1, caret, '\n')};
	}

	const expanded = expandedText(state);
	if (expanded.trim() === '') {
		return {state, action: {type: 'key', token}};
	}

	return {state: cleared(state), action: {type: 'submit', text: expanded}};
}

/** Returns an empty prompt that keeps the history and the kill ring. */
export function cleared(state: ComposerState): ComposerState {
	const kills = state.kills.map(entry => unfolded(entry, state.folds, 'text'));
	return {...emptyComposer, kills, history: state.history, position: state.history.length};
}

/** Replaces `start` to `end` of the text, as a completion does, and moves the caret behind it. Undo reverts it. */
export function replaceRange(state: ComposerState, start: number, end: number, text: string): ComposerState {
	return replace(state, start, end, accepted(text));
}

/** Replaces the whole prompt, as an external editor does. Undo reverts it. */
export function setComposerText(state: ComposerState, text: string): ComposerState {
	return replaceRange(state, 0, state.text.length, text);
}

/** Returns the prompt as it is sent, with every paste in full. */
export function expandedText(state: ComposerState): string {
	return unfolded(state.text, state.folds, 'text');
}

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
