import {cutText} from '../../core/cut-text.ts';
import {expandedText, setComposerText} from '../../editor/editor.ts';
import {emptyComposer} from '../../editor/editor-state.ts';
import type {AppStore} from '../../store/store.ts';
import type {SessionInteraction} from '../interaction.ts';

/** Characters of a prompt that are shown and searched. */
const maxShown = 500;

/**
 * Searches earlier prompts, the latest first; the text of the prompt is the first filter. The selected one replaces the
 * prompt, and undo restores it. Esc cancels.
 */
export async function searchHistory(store: AppStore, {choose, say}: SessionInteraction) {
	const {composer, setFilter, setGuard} = store.getState();
	const prompts = [...new Set(composer.history.toReversed())];
	if (prompts.length === 0) {
		say('No earlier prompts.');
		return;
	}

	const choices = prompts.map((prompt, index) => ({id: String(index), label: oneLine(prompt)}));
	const chosen = choose({title: 'Earlier prompts', choices});
	// The user opened it with a key, from the draft.
	setGuard({focus: 'panel'});
	setFilter(setComposerText(emptyComposer, oneLine(expandedText(composer))));
	const prompt = prompts[Number((await chosen) ?? -1)];
	if (prompt !== undefined) {
		const {composer: now, setComposer, setCompletion} = store.getState();
		setComposer(setComposerText(now, prompt));
		// The arrow keys move in the selected text, not in a list of completions.
		setCompletion(-1);
	}
}

function oneLine(text: string): string {
	return cutText(text, maxShown).replaceAll(/\s+/g, ' ').trim();
}
