import {reduceComposer} from '../../editor/editor.ts';
import {type ComposerLayout, layoutComposer} from '../../editor/editor-layout.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import type {AppStore} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';

/** Cells before each line of the text. */
export const editorIndent = 2;
const maxRows = 10;

/** Handles a key in an open editor: the key that sends answers with the text, Esc cancels, any other edits as in the prompt. */
export function pressInEditor(token: InputToken, store: AppStore, answer: (value: string | undefined) => void): void {
	const {filter, setFilter, size, keymap} = store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	if (chord === 'escape' || chord === 'ctrl+c') {
		answer(undefined);
		return;
	}

	const {state, action} = reduceComposer(filter, token, {columns: Math.max(1, size.columns - editorIndent), keymap});
	if (action?.type === 'submit') {
		answer(action.text);
	} else if (state !== filter) {
		setFilter(state);
	}
}

/** Returns the rows of the label: none in a very low window. */
export function titleRows(height: number): number {
	return height > 1 ? 1 : 0;
}

/** Returns the rows of the text around its caret. */
export function editorLayout(text: ComposerState, columns: number, height: number): ComposerLayout {
	return layoutComposer(text, columns - editorIndent, Math.max(1, height - titleRows(height)));
}

/** Returns the rows that an editor needs, with its label. */
export function editorRows(text: ComposerState, columns: number): number {
	return layoutComposer(text, columns - editorIndent, maxRows).rows.length + 1;
}
