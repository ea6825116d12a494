import type {Entry} from '../command/context.ts';
import {replaceRange, setComposerText} from '../editor/editor.ts';
import type {AppStore} from '../store/store.ts';
import {chordOf, type KeyToken} from '../terminal/input/token.ts';
import {suggestionsFor} from './suggestions.ts';

/**
 * Handles a key while the completion is open: Tab completes, the arrows select a suggestion, Esc closes the list, and
 * Enter completes what is not typed yet. Returns false for other keys, and if nothing is suggested.
 */
export function pressInCompletion(token: KeyToken, store: AppStore, entries: readonly Entry[]): boolean {
	const {composer, completion, setCompletion, setComposer, ...known} = store.getState();
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

	switch (chordOf(token)) {
		case 'up':
			setCompletion((index + count - 1) % count);
			return true;
		case 'down':
			setCompletion((index + 1) % count);
			return true;
		case 'escape':
			setCompletion(-1);
			return true;
		case 'tab':
			complete();
			return true;
		case 'enter': {
			const isWhole = chosen.isOptional && completion === 0;
			if (isWhole || composer.text.trim() === chosen.line.trim()) {
				return false;
			}

			complete();
			// A complete line runs at once.
			return chosen.replaces !== undefined || chosen.line.endsWith(' ');
		}
		default:
			return false;
	}
}
