import type {ServerResources} from '../../agent/mcp/resources.ts';
import type {AppStore} from '../../store/store.ts';
import {followMention} from './follow-mention.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Returns what `@query` may mention. */
	readonly suggest: (query: string) => Promise<readonly ServerResources[]>;
};

/**
 * Reads the names of MCP servers when the user begins a mention, the resources of one once its name is typed, and what it
 * proposes for a variable of a template while that is typed: one request at a time. Returns a function that stops it.
 */
export function followResources({store, suggest}: Dependencies): () => void {
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
