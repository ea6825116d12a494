import {type ComposerState, emptyComposer} from '../../editor/editor-state.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';

type TranscriptSearch = {
	/** The text to find; empty before the first search. */
	readonly text: string;
	/** The search field; undefined while it is closed. */
	readonly field: ComposerState | undefined;
};

export const noSearch: TranscriptSearch = {text: '', field: undefined};

/** Opens an empty search field. */
export function openSearch({text}: TranscriptSearch): TranscriptSearch {
	return {text, field: emptyComposer};
}

/** Applies a key or a text to the open field, which has the keys of the prompt. Enter searches for the text; an empty field repeats the last search. */
export function editSearch(
	{text, field = emptyComposer}: TranscriptSearch,
	token: InputToken,
	keymap?: Keymap,
): TranscriptSearch {
	switch (token.type === 'key' ? chordOf(token) : undefined) {
		case 'escape':
		case 'ctrl+c':
			return {text, field: undefined};
		case 'enter':
			return {text: field.text || text, field: undefined};
		default:
			return {text, field: editLine(field, token, keymap)};
	}
}
