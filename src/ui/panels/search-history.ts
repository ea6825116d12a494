import {cutText} from '../../core/cut-text.ts';
import {expandedText, setComposerText} from '../../editor/editor.ts';
import {emptyComposer} from '../../editor/editor-state.ts';
import type {AppStore} from '../../store/store.ts';
import type {AppInteraction} from '../interaction.ts';

/** Characters of a prompt that are shown and searched. */
const mostShown = 500;

/**
 * Lets one look through earlier prompts, the latest first, beginning with what is typed as the filter. The one that is
 * taken comes into the prompt, where undo brings back what stood there; Escape leaves it as it was.
 */
export async function searchHistory(store: AppStore, {choose, say}: Pick<AppInteraction, 'choose' | 'say'>) {
	const {composer, setFilter} = store.getState();
	const prompts = [...new Set(composer.history.toReversed())];
	if (prompts.length === 0) {
		say('There are no earlier prompts yet.');
		return;
	}

	const choices = prompts.map((prompt, index) => ({id: String(index), label: oneLine(prompt)}));
	const chosen = choose({title: 'Earlier prompts', choices});
	setFilter(setComposerText(emptyComposer, oneLine(expandedText(composer))));
	const prompt = prompts[Number((await chosen) ?? -1)];
	if (prompt !== undefined) {
		const {composer: now, setComposer, setCompletion} = store.getState();
		setComposer(setComposerText(now, prompt));
		// The arrows move in what was taken, not in a list of commands.
		setCompletion(-1);
	}
}

function oneLine(text: string): string {
	return cutText(text, mostShown).replaceAll(/\s+/g, ' ').trim();
}
