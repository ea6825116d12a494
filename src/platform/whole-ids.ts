import type {Client} from '../client/client.ts';
import type {RecentKind, Recents} from '../config/recents.ts';
import {originalOf} from '../contract/lenient.ts';
import type {ParameterName} from '../contract/parameters.ts';
import {uuid} from '../contract/scalars.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject} from '../core/json.ts';
import {onlyMatch} from '../core/only-match.ts';
import {type PageQuery, readAllPages} from './all-pages.ts';
import {isIdPrefix} from './platform-scope.ts';

/** The values of a path. */
type Params = Readonly<Record<string, string>>;
type Place = {readonly org: string; readonly workspace: string};

type Dependencies = {
	readonly client: Client;
	readonly recents: Recents;
	readonly profile: string;
	/** Returns the project whose findings are listed. */
	readonly projectOf: () => Promise<string>;
};

/** Accepts an id prefix in every path parameter that needs a full id. */
export type WholeIds = {
	/** The same client; it finds the full ids before each request. */
	readonly client: Client;
	/** Returns the full id. Throws `AppError("not-found")` for no match, and `AppError("usage")` for several. */
	readonly find: Find;
	/** Does the same for the body of a request, which takes no key of a runtime: returns the id of that runtime. */
	readonly findUuid: Find;
};

type Find = (kind: RecentKind, text: string, params: Params, signal?: AbortSignal) => Promise<string>;

/** The parameters that take a UUID. */
const kinds: Readonly<Partial<Record<string, RecentKind>>> = {
	itemId: 'item',
	environmentId: 'environment',
	runtimeId: 'runtime',
	assessmentId: 'assessment',
	findingId: 'finding',
	runId: 'run',
	userId: 'user',
	sessionId: 'session',
	keyId: 'key',
} satisfies Partial<Record<ParameterName, RecentKind>>;

/** The most findings on one page. */
const mostFindings = 200;

type ListPage = (
	query: PageQuery,
	signal?: AbortSignal,
) => Promise<{
	readonly items?: readonly object[];
	readonly total?: number;
}>;

/** The lists of the server in which a prefix is looked up; ids of other kinds are known only if they were seen here. */
export const lists = {
	environment: (client, place) => (query, signal) => client.listEnvironments({params: place, query}, signal),
	run: (client, place) => (query, signal) => client.listRuns({params: place, query}, signal),
	runtime: (client, place) => (query, signal) => client.listRuntimes({params: place, query}, signal),
	assessment: (client, place) => (query, signal) => client.listAssessments({params: place, query}, signal),
	session: (client, place) => (query, signal) => client.listSessions({params: place, query}, signal),
} satisfies Partial<Record<RecentKind, (client: Client, place: Place) => ListPage>>;

type ListedKind = keyof typeof lists;

/** The kinds that the server also finds by a key. An equal key wins over a prefix, and text that is no prefix is a key. */
const keyed: ReadonlySet<RecentKind> = new Set(['runtime']);

/** The kinds of which a server also finds what it doesn't list. */
const foundByServer: ReadonlySet<RecentKind> = new Set([...keyed, 'session']);

/** An entry of a list of the server. */
type Listed = {readonly id: string; readonly key?: string};

export function createWholeIds({client, recents, profile, projectOf}: Dependencies): WholeIds {
	const find: Find = async (kind, text, params, signal) => {
		if (uuid.safeParse(text).success || !isIdPrefix(text)) {
			return text;
		}

		const match = findIn(await listed(kind, params, signal), kind, text);
		if (match === undefined && !foundByServer.has(kind)) {
			throw noMatch(kind, text);
		}

		return match ?? text;
	};

	const findUuid: Find = async (kind, text, params, signal) => {
		if (uuid.safeParse(text).success || !(isIdPrefix(text) || keyed.has(kind))) {
			return text;
		}

		const onServer = await listed(kind, params, signal);
		const named = keyed.has(kind) ? onServer.find(({key}) => key === text) : undefined;
		const match = named?.id ?? (isIdPrefix(text) ? findIn(onServer, kind, text) : text);
		if (match === undefined && !keyed.has(kind)) {
			throw noMatch(kind, text);
		}

		return match ?? text;
	};

	const listed = async (kind: RecentKind, params: Params, signal?: AbortSignal): Promise<readonly Listed[]> => {
		if (kind === 'key') {
			return listKeys(client, signal);
		}

		return kind === 'finding'
			? listFindings(client, {...params, project: await projectOf()}, signal)
			: listOf(client, kind, params, signal);
	};

	const findIn = (onServer: readonly Listed[], kind: RecentKind, text: string): string | undefined => {
		if (keyed.has(kind) && onServer.some(({key}) => key === text)) {
			return text;
		}

		const matches = startingWith(text, [...recents.recall(profile, kind), ...onServer.map(({id}) => id)]);
		return onlyMatch(text, matches, {noun: `${kind} ids`, nameOf: id => id});
	};

	const wholeParams = async (params: Params, signal?: AbortSignal): Promise<Params> => {
		const whole = Object.entries(params).map(async ([name, value]) => {
			const kind = kinds[name];
			return [name, kind ? await find(kind, value, params, signal) : value] as const;
		});
		return Object.fromEntries(await Promise.all(whole));
	};

	return {client: withParams(client, wholeParams), find, findUuid};
}

/** Returns what the server lists of a kind; nothing if it has no list of it, or if the place isn't known. */
async function listOf(
	client: Client,
	kind: RecentKind,
	{org, workspace}: Params,
	signal: AbortSignal | undefined,
): Promise<readonly Listed[]> {
	if (!isListed(kind) || !org || !workspace) {
		return [];
	}

	const list = lists[kind](client, {org, workspace});
	const items = await readAllPages<object>(client, query => list(query, signal), signal);
	return (items ?? []).filter(isIdentified);
}

/** Returns the active API keys, if the answer has any list of them: the specification doesn't show its shape. */
async function listKeys(client: Client, signal: AbortSignal | undefined): Promise<readonly Listed[]> {
	const answer = originalOf(await client.listApiKeys({}, signal));
	const keys = isJsonObject(answer) ? Object.values(answer).find(Array.isArray) : answer;
	return Array.isArray(keys) ? keys.filter(isJsonObject).filter(isIdentified) : [];
}

/** Returns the first findings of a project; their list has no total. */
async function listFindings(
	client: Client,
	{org = '', workspace = '', project = ''}: Params,
	signal: AbortSignal | undefined,
): Promise<readonly Listed[]> {
	const query = {page: 1, page_size: mostFindings};
	const {findings = []} = await client.listFindings({params: {org, workspace, project}, query}, signal);
	return findings.filter(isIdentified);
}

/** Returns the UUIDs that start with `text`, each once, in lower case. */
function startingWith(text: string, known: readonly string[]): readonly string[] {
	const prefix = text.toLowerCase();
	const found = known.map(id => id.toLowerCase()).filter(id => uuid.safeParse(id).success && id.startsWith(prefix));
	return [...new Set(found)];
}

function noMatch(kind: RecentKind, text: string): AppError {
	return new AppError('not-found', `No ${kind} id starts with “${text}”.`, {hint: 'Complete it, or type the full id.'});
}

/** Returns the client with the parameters of each call passed through `convert` first. */
function withParams(client: Client, convert: (params: Params, signal?: AbortSignal) => Promise<Params>): Client {
	const functions = Object.entries(client).map(([id, operation]) => [
		id,
		async (call: {readonly params?: Params} = {}, signal?: AbortSignal) => {
			const params = call.params && (await convert(call.params, signal));
			// Each function keeps the type of the operation that it wraps.
			return (operation as (call: object, signal?: AbortSignal) => Promise<unknown>)(
				{...call, ...(params && {params})},
				signal,
			);
		},
	]);
	return Object.fromEntries(functions) as Client;
}

function isListed(kind: RecentKind): kind is ListedKind {
	return kind in lists;
}

function isIdentified(item: object): item is Listed {
	return 'id' in item && typeof item.id === 'string';
}
