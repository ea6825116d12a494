import type {ServerResources} from '../../agent/mcp/resources.ts';
import {mentionAt} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import type {AppState, AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Returns what `@query` may mention. */
	readonly suggest: (query: string) => Promise<readonly ServerResources[]>;
};

/**
 * Reads the names of MCP servers when the user begins a mention, and the resources of one once its name is typed. Returns a
 * function that stops it.
 */
export function followResources({store, suggest}: Dependencies): () => void {
	let wanted: string | undefined;

	const read = async (server: string) => {
		// Servers that fail at that have a log; until they answer, their resources are typed in full.
		const found = await suggest(server).catch(() => []);
		// Nothing is drawn again where there are no servers.
		if (wanted === server && found.length + store.getState().resources.length > 0) {
			store.getState().setResources(found);
		}
	};

	let last: ComposerState | undefined;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		const {text, caret} = composer;
		if (text === last?.text && caret === last.caret) {
			return;
		}

		last = composer;
		const typed = mentionAt(text, caret);
		const server = typed && (/^[^:]+:/.exec(typed.query)?.[0] ?? '');
		const isOther = server !== wanted;
		wanted = server;
		if (server !== undefined && isOther) {
			void read(server);
		}
	};
	// The user may have begun while this was loaded.
	follow(store.getState());
	return store.subscribe(follow);
}
