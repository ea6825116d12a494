import type {Program} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import {followPaths} from './follow-paths.ts';
import {followResources} from './follow-resources.ts';
import {mentionSuggestions} from './mention-suggestions.ts';
import {followUserKeys} from './user-keys.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: Pick<Program, 'listPaths' | 'suggestResources' | 'settings'>;
	readonly warn: (text: string) => void;
};

/** Suggests what the prompt may mention, and uses the user's own keys. Returns a function that stops it. */
export async function followPrompt({store, program, warn}: Dependencies): Promise<() => void> {
	store.getState().setSuggestMentions(mentionSuggestions);
	const stops = [
		await followUserKeys({store, program, warn}),
		followPaths({store, list: program.listPaths}),
		followResources({store, suggest: program.suggestResources}),
	];
	return () => {
		for (const stop of stops) {
			stop();
		}
	};
}
