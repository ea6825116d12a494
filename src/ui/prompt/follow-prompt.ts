import type {ServerResource, ServerResources} from '../../agent/mcp/resources.ts';
import {type Entry, isNoun} from '../../command/context.ts';
import {commandName} from '../../command/line.ts';
import type {Program} from '../../command/program.ts';
import type {PathIndex} from '../../core/fuzzy-paths.ts';
import {mentionAt, mentionOf, type TypedMention} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {noOwnKeys} from '../../editor/keymap/keymap.ts';
import {textOf} from '../../editor/long-text.ts';
import type {MentionSuggestion} from '../../store/prompt-slice.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import type {VimTyping} from '../../store/typing-slice.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly program: Program;
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
		followPaths(store, program.prompts.listPaths),
		followResources(store, program.mcp.suggestResources),
		...(keepsDrafts ? [(await import('./keep-drafts.ts')).keepDrafts(dependencies)] : []),
	];
	return () => Promise.all(stops.map(stop => stop()));
}

type KeyParts = {
	readonly store: AppStore;
	readonly program: {readonly settings: Program['local']['settings']};
	/** Prints a warning above the prompt, with what to do in a line of its own. */
	readonly warn: (text: string, hint?: string) => void;
};

/** Uses the keys and the mode that the user has in the settings, now and when they change. Warns of keys that can't be used. */
export async function followUserKeys({store, program, warn}: KeyParts): Promise<() => void> {
	const {settings} = program;
	const applyKeys = async () => {
		const value = settings.value('keys');
		if (value === undefined) {
			store.getState().setOwnKeys(noOwnKeys);
			return;
		}

		const {readKeys} = await import('../../command/keymap/read-keys.ts');
		const {own, faults, notes} = readKeys(value);
		store.getState().setOwnKeys(own);
		const warnings = [...faults, ...notes];
		for (const [index, text] of warnings.entries()) {
			const isLast = index === warnings.length - 1;
			warn(`keys in ${settings.file}: ${text}`, isLast ? 'All actions and keys: `keys-help`' : undefined);
		}
	};
	const applyVim = async () => {
		const {vim, setVim} = store.getState();
		const isWanted = settings.value('vim');
		if (isWanted !== (vim !== undefined)) {
			setVim(isWanted ? await loadVim() : undefined);
		}
	};
	// First, so that no change is missed while what is there now is read.
	const stop = settings.onChange(async key => {
		const apply = key === 'keys' ? applyKeys : key === 'vim' ? applyVim : undefined;
		await apply?.().catch((error: unknown) => warn(String(error)));
	});
	await Promise.all([applyKeys(), applyVim()]);
	return stop;
}

async function loadVim(): Promise<VimTyping> {
	const [{reduceVim}, {initialVim}] = await Promise.all([
		import('../../editor/vim/vim.ts'),
		import('../../editor/vim/vim-state.ts'),
	]);
	return {state: initialVim, reduce: reduceVim};
}

/** Calls `refresh` each time the user begins a slash line. Returns a function that stops it. */
export function followEntries(store: AppStore, refresh: () => Promise<void>): () => void {
	let isSlash = false;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		const wasSlash = isSlash;
		isSlash = textOf(composer).charAt(0) === '/';
		if (isSlash && !wasSlash) {
			// What can't be read is missing in the list, and the line reports it.
			refresh().catch(() => undefined);
		}
	};
	// The user may have begun while this was loaded.
	follow(store.getState());
	return store.subscribe(follow);
}

/** True for a line whose command comes from a file, or is not known yet: the file may have changed. */
export function comesFromFile(line: string, entries: readonly Entry[]): boolean {
	const name = commandName(line);
	const entry = entries.find(each => each.name === name || each.aliases?.includes(name));
	return !entry || (!isNoun(entry) && entry.takesLine === true);
}

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
function followPaths(store: AppStore, list: () => Promise<PathIndex>): () => void {
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
function followResources(store: AppStore, suggest: (query: string) => Promise<readonly ServerResources[]>): () => void {
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

const maxSuggestions = 8;

/** Returns what the mention at the caret may become: open logs, MCP servers or resources of one, then files and folders. */
export function mentionSuggestions(
	composer: Pick<ComposerState, 'text' | 'pieces' | 'caret'>,
	{paths, logs, resources}: Pick<AppState, 'paths' | 'logs' | 'resources'>,
): readonly MentionSuggestion[] {
	const {caret} = composer;
	const text = textOf(composer);
	const typed = mentionAt(text, caret);
	if (!typed) {
		return [];
	}

	const {start, query} = typed;
	const named = resources.find(({server}) => query.startsWith(`${server}:`));
	if (named) {
		return ofServer(named.server, named.resources ?? [], query.slice(named.server.length + 1)).slice(0, maxSuggestions);
	}

	if (/:\d*(?:-\d*)?$/.test(query.replace(/^log:/, ''))) {
		return [];
	}

	const ofLogs = logs
		.map(({title, environment}) => ({name: `log:${isPlain(title) ? title : environment.slice(0, 8)}`, title}))
		.filter(({name}) => name.includes(query.toLowerCase()))
		.map(({name, title}) => suggestion(`@${name} `, name, `recent lines of ${title}`));
	const ofPaths = /^(?:\.\.|~|\/)/.test(query) ? [] : (paths?.search(query.replace(/^\.\//, ''), maxSuggestions) ?? []);
	return [
		...ofLogs,
		...resources
			.map(({server}) => `${server}:`)
			.filter(name => name.startsWith(query))
			.map(name => suggestion(`@${name}`, name, 'resources of this MCP server')),
		...ofPaths.map(path => suggestion(mentionOf(path) + (path.endsWith('/') ? '' : ' '), path, '')),
	].slice(0, maxSuggestions);

	function ofServer(server: string, listed: readonly ServerResource[], wanted: string) {
		return matching(listed, wanted).map(({uri, summary, isTemplate}) => {
			// The user completes a template from its first variable.
			const [fixed = ''] = isTemplate ? uri.split('{') : [uri];
			const mention = isTemplate ? `@${server}:${fixed}` : `${mentionOfResource(`${server}:${uri}`)} `;
			return suggestion(mention, `${server}:${uri}`, summary);
		});
	}

	function suggestion(mention: string, label: string, summary: string): MentionSuggestion {
		const line = text.slice(0, start) + mention + text.slice(caret);
		return {line, label, summary, replaces: {start, end: caret, text: mention}};
	}
}

function isPlain(title: string): boolean {
	return /^[\w.-]+$/.test(title);
}

/** Returns the mention of a resource, quoted if `findMentions` would read a bare one otherwise. */
function mentionOfResource(name: string): string {
	const isPlain =
		/^[\p{L}\p{N}_/~.@+=#%&:,;!$()-]+$/u.test(name) && /[\p{L}\p{N}/_=-]$/u.test(name) && !/:\d+(?:-\d+)?$/.test(name);
	return isPlain ? `@${name}` : mentionOf(name);
}

/** Returns the resources with these letters in order, those first that have them together. */
function matching(listed: readonly ServerResource[], typed: string): readonly ServerResource[] {
	const query = typed.toLowerCase();
	const scored = listed.map(resource => {
		const uri = resource.uri.toLowerCase();
		const summary = resource.summary.toLowerCase();
		const score = uri.startsWith(query)
			? 3
			: uri.includes(query) || summary.includes(query)
				? 2
				: inOrder(uri, query)
					? 1
					: 0;
		return {resource, score};
	});
	return scored
		.filter(({score, resource}) => score > 0 && resource.uri.toLowerCase() !== query)
		.toSorted((one, other) => other.score - one.score)
		.map(({resource}) => resource);
}

/** True if a text has these letters in this order. */
function inOrder(text: string, letters: string): boolean {
	let at = -1;
	return [...letters].every(letter => {
		at = text.indexOf(letter, at + 1);
		return at !== -1;
	});
}
