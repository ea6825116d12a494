import type {ServerResources} from '../../agent/mcp/resources.ts';
import type {PathIndex} from '../../core/fuzzy-paths.ts';
import {mentionAt, type TypedMention} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {textOf} from '../../editor/long-text.ts';
import type {AppState, AppStore} from '../../store/store.ts';

/**
 * Calls `onChange` with the mention at the caret, undefined outside one, now and whenever the text or the caret changed: the
 * user may have begun before this was loaded. Returns a function that stops it.
 */
export function followMention(store: AppStore, onChange: (typed: TypedMention | undefined) => void): () => void {
	let last: ComposerState | undefined;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		if (composer.text !== last?.text || composer.caret !== last.caret) {
			last = composer;
			onChange(mentionAt(textOf(composer), composer.caret));
		}
	};
	follow(store.getState());
	return store.subscribe(follow);
}

/** How long a list of files is used before the next mention reads it again. */
const maxAgeMs = 5000;

/**
 * Reads the list of files of the working folder when the user begins a mention, unless it is fresh. Returns a function that
 * stops it.
 */
export function followPaths(store: AppStore, list: () => Promise<PathIndex>): () => void {
	let wasTyped = false;
	let isReading = false;
	let readAt = Number.NEGATIVE_INFINITY;

	const read = async () => {
		isReading = true;
		try {
			store.getState().setPaths(await list());
			readAt = performance.now();
		} catch {
			// Without the list, paths are typed in full; what can't be read is told when the message is sent.
		} finally {
			isReading = false;
		}
	};

	return followMention(store, typed => {
		const isTyped = typed !== undefined;
		if (isTyped && !wasTyped && !isReading && performance.now() - readAt > maxAgeMs) {
			void read();
		}

		wasTyped = isTyped;
	});
}

/**
 * Reads the names of MCP servers when the user begins a mention, the resources of one once its name is typed, and what it
 * proposes for a variable of a template while that is typed: one request at a time. `suggest` returns what `@query` may mention.
 * Returns a function that stops it.
 */
export function followResources(
	store: AppStore,
	suggest: (query: string) => Promise<readonly ServerResources[]>,
): () => void {
	let wanted: string | undefined;
	let isCompleting = false;
	let next: string | undefined;

	const read = async (query: string) => {
		const server = serverOf(query);
		// Servers that fail at that have a log; until they answer, their resources are typed in full.
		const found = await suggest(query).catch(() => []);
		// Nothing is drawn again where there are no servers.
		if (wanted === server && found.length + store.getState().resources.length > 0) {
			store.getState().setResources(found);
		}
	};

	const complete = async (query: string) => {
		next = query;
		if (isCompleting) {
			return;
		}

		isCompleting = true;
		for (let now: string | undefined = query; now !== undefined; now = next) {
			next = undefined;
			await read(now);
		}

		isCompleting = false;
	};

	return followMention(store, typed => {
		const server = typed && serverOf(typed.query);
		const isOther = server !== wanted;
		wanted = server;
		if (server !== undefined && isOther) {
			void read(typed?.query ?? server);
		} else if (typed && isInTemplate(typed.query, store.getState().resources)) {
			void complete(typed.query);
		}
	});
}

/** Returns the server that a mention names, with its colon; '' before one is named. */
function serverOf(query: string): string {
	return /^[^:]+:/.exec(query)?.[0] ?? '';
}

/** True if what comes next is the variable of a template. */
function isInTemplate(query: string, servers: readonly ServerResources[]): boolean {
	return servers.some(({server, resources = []}) =>
		resources.some(({uri, isTemplate}) => isTemplate && query.startsWith(`${server}:${uri.split('{')[0]}`)),
	);
}
