import type {Entry} from '../command/context.ts';
import {replaceRange, setComposerText} from '../editor/editor.ts';
import {attach} from '../editor/editor-edit.ts';
import {completionKeys} from '../editor/keymap/default-keys.ts';
import {actionOf, keymapOf} from '../editor/keymap/keymap.ts';
import {needsUser} from '../store/panel-slice.ts';
import type {AppStore} from '../store/store.ts';
import {chordOf, type KeyToken} from '../terminal/input/token.ts';
import {suggestionsFor} from './suggestions.ts';

/**
 * Handles a key while the completion is open: its actions, Esc, which closes the list, and the key that sends, which completes
 * what is not typed yet. The key that completes also inserts what is offered for the empty prompt. Returns false for other
 * keys, and if nothing is suggested.
 */
export function pressInCompletion(token: KeyToken, store: AppStore, entries: readonly Entry[]): boolean {
	const {composer, completion, setCompletion, setComposer, keymap, ownKeys, ...known} = store.getState();
	const suggestions = suggestionsFor(entries, composer, completion, known);
	const count = suggestions.length;
	const index = Math.min(completion, count - 1);
	const chosen = suggestions[index];
	const chord = chordOf(token);
	const completes = actionOf(keymapOf(completionKeys, ownKeys), chord);
	if (!chosen) {
		return completes === 'completion.complete' && insertOffered(store);
	}

	const complete = () => {
		const {start, end, text} = chosen.replaces ?? changeTo(chosen.line, composer.text);
		setComposer(replaceRange(composer, start, end, text));
		setCompletion(0);
	};

	if (actionOf(keymap, chord) === 'prompt.send') {
		const isWhole = chosen.isOptional || entries.some(({name}) => composer.text.trim() === `/${name}`);
		if ((isWhole && completion === 0) || composer.text.trim() === chosen.line.trim()) {
			return false;
		}

		complete();
		// A complete line runs at once.
		return chosen.replaces !== undefined || chosen.line.endsWith(' ');
	}

	switch (chord === 'escape' ? 'completion.close' : completes) {
		case 'completion.up':
			setCompletion((index + count - 1) % count);
			return true;
		case 'completion.down':
			setCompletion((index + 1) % count);
			return true;
		case 'completion.close':
			setCompletion(-1);
			return true;
		case 'completion.complete':
			complete();
			return true;
		default:
			return false;
	}
}

/** Inserts what is offered for the empty prompt, several lines as one unit. Returns false if nothing is offered there. */
function insertOffered(store: AppStore): boolean {
	const {offered, composer, transcript, busy, ...state} = store.getState();
	if (!offered || composer.text !== '' || busy || transcript.run || needsUser(state)) {
		return false;
	}

	const {label, text} = offered;
	const lines = text.split('\n').length;
	state.editPrompt({
		composer:
			lines > 1 ? attach(composer, {label: `[${label}, ${lines} lines]`, text}) : setComposerText(composer, text),
		completion: -1,
		toast: '',
	});
	return true;
}

/** Returns what makes `line` of a prompt, behind what they have in common: a paste in it must stay one. */
function changeTo(line: string, prompt: string) {
	let start = 0;
	while (start < prompt.length && prompt[start] === line[start]) {
		start++;
	}

	// A pair of surrogates is one character.
	start -= /[\uD800-\uDBFF]/.test(prompt[start - 1] ?? '') ? 1 : 0;
	return {start, end: prompt.length, text: line.slice(start)};
}
