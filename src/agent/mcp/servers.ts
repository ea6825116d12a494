import {AppError} from '../../core/error.ts';
import type {RunWarning, Tool} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {MentionSource} from '../mentions/read-mentions.ts';
import {type ConfiguredServer, configuredServers} from './configured-servers.ts';
import {promptsOf, type ServerPrompt} from './prompts.ts';
import {createResources, type ServerResources} from './resources.ts';
import type {ServerState} from './server.ts';
import {createEntry, type Dependencies, keyOf, type ServerEntry, toolsOfEntry} from './server-entry.ts';

/** A server with what is known of it now. */
export type ServerStatus = {
	readonly configured: ConfiguredServer;
	readonly state: ServerState;
	readonly tools: readonly Tool[];
	/** Sentences about tools that are left out. */
	readonly faults: readonly string[];
	/** The last lines of its log. Untrusted. */
	readonly log: readonly string[];
};

/** The servers of a program. */
export type McpServers = {
	/**
	 * Starts the servers that are used and don't run yet, ends those that aren't any more, and waits for a moment for those
	 * that are starting; with `onWait`, for as long as each may take, and after 2 s that gets a sentence about it. Returns the
	 * tools of those that run, whose calls ask the user with `ask`. Throws AppError("failed") if the trust of the user can't be
	 * read.
	 */
	readonly tools: (
		signal?: AbortSignal,
		ask?: () => AskUser | undefined,
		onWait?: (text: string) => void,
	) => Promise<readonly Tool[]>;
	/**
	 * Returns a warning for each server that isn't there, for what of its tools is left out or was repaired, and for tools that
	 * came or went; each once.
	 */
	readonly warnings: () => readonly RunWarning[];
	/** Returns the prompts of the servers that run. Starts nothing. */
	readonly prompts: () => Promise<readonly ServerPrompt[]>;
	/** Reads mentions of resources, such as `@docs:file:///a.md`. */
	readonly resources: MentionSource;
	/**
	 * Returns what `@query` may mention: the names of servers that run, or the resources of the one that is named, which is
	 * started. Never throws but the signal's reason.
	 */
	readonly suggestResources: (query: string, signal: AbortSignal) => Promise<readonly ServerResources[]>;
	/** Starts nothing. */
	readonly status: () => Promise<readonly ServerStatus[]>;
	/** Starts a server, or starts it again. Resolves when it runs or has failed. Throws AppError("conflict") for an unused one. */
	readonly reconnect: (configured: ConfiguredServer) => Promise<void>;
	/** Ends all servers. */
	readonly end: () => Promise<void>;
};

/** Shorter waits say nothing (SAFETY 21). */
const silentWaitMs = 2000;
/** Most sentences about the tools of one server in one warning. */
const maxFaults = 10;

/** Creates the servers. Nothing is started before tools are asked for, and nothing of a project without the user's trust. */
export function createMcpServers(dependencies: Dependencies): McpServers {
	const entries = new Map<string, ServerEntry>();
	const told = new Set<string>();
	let missing: readonly RunWarning[] = [];
	/** What else a run should begin with. */
	let notes: readonly RunWarning[] = [];
	const isNew = (text: string) => !told.has(text) && told.add(text) !== undefined;

	const reconcile = () => reconciled(entries, dependencies);

	const resources = createResources({
		reconcile,
		entryOf: id => entries.get(id),
		ids: () => [...entries.keys()],
		hide: dependencies.hide,
	});

	return {
		resources: resources.source,
		suggestResources: resources.suggest,
		async tools(signal, ask, onWait) {
			await reconcile();
			for (const {server} of entries.values()) {
				server.start();
			}

			const {startTimeoutMs, joinTimeoutMs} = dependencies;
			await settled([...entries.values()], {signal, limitMs: onWait ? startTimeoutMs : joinTimeoutMs, onWait});
			const used = [...entries.values()];
			const found = used.map(entry => ({entry, ...toolsOfEntry(entry, dependencies, ask)}));
			const {tools, faults} = withUniqueNames(found);
			missing = used.flatMap(entry => whyMissing(entry, onWait === undefined ? undefined : startTimeoutMs));
			const more = used.flatMap((entry, index) => [
				...faultsOfEntry(entry, [...(found[index]?.faults ?? []), ...(faults.get(entry) ?? [])], isNew),
				...changesOf(entry),
			]);
			notes = [...notes, ...more];
			return tools;
		},
		warnings() {
			const unknown = [...missing.filter(({text}) => isNew(text)), ...notes];
			notes = [];
			return unknown;
		},
		async prompts() {
			await reconcile();
			const {hide} = dependencies;
			return [...entries].flatMap(([id, {server}]) => promptsOf({id, server, hide}));
		},
		async status() {
			const configured = await reconcile();
			return configured.map(each => statusOf(each, entries.get(each.id), dependencies));
		},
		async reconnect({id, unused, server: {name}}) {
			await reconcile();
			const entry = entries.get(id);
			if (unused !== undefined || !entry) {
				throw new AppError('conflict', `The MCP server ${name} is not used: ${unused ?? 'its file has changed'}.`);
			}

			await entry.server.reconnect();
		},
		async end() {
			const all = [...entries.values()];
			entries.clear();
			await Promise.all(all.map(({server}) => server.end()));
		},
	};
}

/** Ends and creates servers, so that they are those of the files. Returns all that are configured. */
async function reconciled(
	entries: Map<string, ServerEntry>,
	dependencies: Dependencies,
): Promise<readonly ConfiguredServer[]> {
	const configured = configuredServers(await dependencies.load());
	const used = new Map(configured.filter(({unused}) => unused === undefined).map(each => [each.id, each]));
	for (const [id, {key, server}] of entries) {
		const now = used.get(id);
		if (!now || keyOf(now, dependencies) !== key) {
			entries.delete(id);
			void server.end();
		}
	}

	for (const [id, each] of used) {
		if (!entries.has(id)) {
			entries.set(id, createEntry(each, dependencies));
		}
	}

	return configured;
}

type FoundTools = {readonly entry: ServerEntry; readonly tools: readonly Tool[]};

/** Leaves out tools with the name of another one, which providers refuse: `a` with `b__c` is `a__b` with `c`. */
function withUniqueNames(found: readonly FoundTools[]) {
	const names = new Set<string>();
	const faults = new Map<ServerEntry, readonly string[]>();
	const tools = found.flatMap(({entry, tools: own}) =>
		own.filter(({name}) => {
			const isTaken = names.has(name);
			names.add(name);
			if (isTaken) {
				const fault = `The tool ${name} is left out: a tool of another server has its name.`;
				faults.set(entry, [...(faults.get(entry) ?? []), fault]);
			}

			return !isTaken;
		}),
	);
	return {tools, faults};
}

/** Returns a warning about the tools of a server that are left out or were repaired, as far as it wasn't told of them. */
function faultsOfEntry(
	{configured, server}: ServerEntry,
	faults: readonly string[],
	isNew: (text: string) => boolean,
): readonly RunWarning[] {
	const {name} = configured.server;
	const unknown = faults.filter(fault => isNew(`${configured.id}\n${fault}`));
	if (unknown.length === 0 || server.state().state !== 'ready') {
		return [];
	}

	const more = unknown.length - maxFaults;
	const rest = more > 0 ? ` ${more} more like that.` : '';
	const text = `The lists of the MCP server ${name} have faults. ${unknown.slice(0, maxFaults).join(' ')}${rest}`;
	return [{text, hint: `See all: \`mcp get ${shellWord(name)}\``}];
}

function changesOf({configured, server}: ServerEntry): readonly RunWarning[] {
	const change = server.takeChange();
	return change === undefined
		? []
		: [{text: `The tools of the MCP server ${configured.server.name} changed: ${change}.`}];
}

function statusOf(
	configured: ConfiguredServer,
	entry: ServerEntry | undefined,
	dependencies: Dependencies,
): ServerStatus {
	if (!entry || configured.unused !== undefined) {
		return {configured, state: {state: 'stopped'}, tools: [], faults: [], log: []};
	}

	const log = entry.server.log().map(dependencies.hide);
	return {configured, state: entry.server.state(), ...toolsOfEntry(entry, dependencies), log};
}

type Waiting = {
	readonly signal: AbortSignal | undefined;
	/** How long each may take, in milliseconds, counted from its start. */
	readonly limitMs: number;
	readonly onWait: ((text: string) => void) | undefined;
};

/** Waits for the servers that are starting, until each has had its time, or the signal aborts. */
async function settled(entries: readonly ServerEntry[], {signal, limitMs, onWait}: Waiting): Promise<void> {
	const waiting = entries.filter(({server}) => server.state().state === 'starting' && !server.isRetry());
	const leftMs = Math.max(0, ...waiting.map(({server}) => limitMs - server.startingMs()));
	if (waiting.length === 0 || leftMs === 0 || signal?.aborted) {
		return;
	}

	const note = setTimeout(() => {
		const late = waiting.filter(({server}) => server.state().state === 'starting');
		const names = late.map(({configured}) => configured.server.name).join(', ');
		onWait?.(`Waiting for the MCP server${late.length > 1 ? 's' : ''} ${names}…`);
	}, silentWaitMs).unref();
	await new Promise<void>(resolve => {
		const timer = setTimeout(resolve, leftMs);
		signal?.addEventListener('abort', () => resolve(), {once: true});
		void Promise.all(waiting.map(({server}) => server.settled())).then(() => {
			clearTimeout(timer);
			resolve();
		});
	});
	clearTimeout(note);
}

/** Returns why the tools of a server are missing. `limitMs` is how long it was waited for where they can't join later. */
function whyMissing({configured, server}: ServerEntry, limitMs: number | undefined): readonly RunWarning[] {
	const state = server.state();
	const {name} = configured.server;
	switch (state.state) {
		case 'starting':
			return limitMs === undefined
				? [{text: `The MCP server ${name} is still starting. Its tools join when it is ready.`}]
				: [{text: `The MCP server ${name} was not ready after ${limitMs / 1000} s, so its tools are missing.`}];
		case 'failed':
			return [
				{
					text: `The MCP server ${name} ${state.needsLogin ? `can't be used` : 'is not running'}: ${state.reason}.`,
					hint: state.needsLogin
						? `Log in: \`mcp login ${shellWord(name)}\``
						: `See why: \`mcp get ${shellWord(name)}\``,
				},
			];
		default:
			return [];
	}
}
