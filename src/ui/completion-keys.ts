import type {Entry} from '../command/context.ts';
import {replaceRange, setComposerText} from '../editor/editor.ts';
import {completionKeys} from '../editor/keymap/default-keys.ts';
import {actionOf, keymapOf} from '../editor/keymap/keymap.ts';
import type {AppStore} from '../store/store.ts';
import {chordOf, type KeyToken} from '../terminal/input/token.ts';
import {suggestionsFor} from './suggestions.ts';

/**
 * Handles a key while the completion is open: its actions, Esc, which closes the list, and the key that sends, which completes
 * what is not typed yet. Returns false for other keys, and if nothing is suggested.
 */
export function pressInCompletion(token: KeyToken, store: AppStore, entries: readonly Entry[]): boolean {
	const {composer, completion, setCompletion, setComposer, keymap, ownKeys, ...known} = store.getState();
	const suggestions = suggestionsFor(entries, composer, completion, known);
	const count = suggestions.length;
	const index = Math.min(completion, count - 1);
	const chosen = suggestions[index];
	if (!chosen) {
		return false;
	}

	const complete = () => {
		const {replaces} = chosen;
		setComposer(
			replaces
				? replaceRange(composer, replaces.start, replaces.end, replaces.text)
				: setComposerText(composer, chosen.line),
		);
		setCompletion(0);
	};

	const chord = chordOf(token);
	if (actionOf(keymap, chord) === 'prompt.send') {
		const isWhole = chosen.isOptional && completion === 0;
		if (isWhole || composer.text.trim() === chosen.line.trim()) {
			return false;
		}

		complete();
		// A complete line runs at once.
		return chosen.replaces !== undefined || chosen.line.endsWith(' ');
	}

	switch (chord === 'escape' ? 'completion.close' : actionOf(keymapOf(completionKeys, ownKeys), chord)) {
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
