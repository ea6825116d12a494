import type {Program} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import {followPaths} from './follow-paths.ts';
import {followResources} from './follow-resources.ts';
import {mentionSuggestions} from './mention-suggestions.ts';
import {followUserKeys} from './user-keys.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: Pick<Program, 'commands' | 'local' | 'mcp' | 'prompts'>;
	readonly warn: (text: string, hint?: string) => void;
	/** True to save what is typed and not sent for the next app in the folder. */
	readonly keepsDrafts?: boolean;
	/** True if a message is sent at the start. */
	readonly hasPrompt: boolean;
};

/** Suggests what the prompt may mention, uses the user's own keys, and keeps drafts. Returns a function that stops it. */
export async function followPrompt(dependencies: Dependencies): Promise<() => Promise<unknown>> {
	const {store, program, warn, keepsDrafts = false} = dependencies;
	store.getState().setSuggestMentions(mentionSuggestions);
	const stops = [
		await followUserKeys({store, program: program.local, warn}),
		followPaths({store, list: program.prompts.listPaths}),
		followResources({store, suggest: program.mcp.suggestResources}),
		...(keepsDrafts ? [(await import('./keep-drafts.ts')).keepDrafts(dependencies)] : []),
	];
	return () => Promise.all(stops.map(stop => stop()));
}
