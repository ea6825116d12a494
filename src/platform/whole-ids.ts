import type {Client} from '../client/client.ts';
import {ifOffered} from '../client/extension.ts';
import type {RecentKind, Recents} from '../config/recents.ts';
import type {ParameterName} from '../contract/parameters.ts';
import {uuid} from '../contract/scalars.ts';
import {AppError} from '../core/error.ts';
import {isIdPrefix} from './platform-scope.ts';

/** The values of a path. */
type Params = Readonly<Record<string, string>>;
type Place = {readonly org: string; readonly workspace: string};
type Page = {readonly items?: readonly object[]; readonly total?: number};
type Query = {readonly page: number; readonly page_size: number};

type Dependencies = {
	readonly client: Client;
	readonly recents: Pick<Recents, 'recall'>;
	readonly profile: string;
};

/** Accepts an id prefix in every path parameter that needs a full id. */
export type WholeIds = {
	/** The same client, which finds the whole ids before it asks. */
	readonly client: Client;
	/** The whole id. Throws `not-found`, or `usage` with those that begin so where there are several. */
	readonly find: (kind: RecentKind, text: string, params: Params, signal?: AbortSignal) => Promise<string>;
};

/** The parameters that take a UUID; a session may have any id, so that nothing tells the beginning of one. */
const kinds: Readonly<Partial<Record<string, RecentKind>>> = {
	itemId: 'item',
	environmentId: 'environment',
	runtimeId: 'runtime',
	assessmentId: 'assessment',
	findingId: 'finding',
	runId: 'run',
	userId: 'user',
	keyId: 'key',
} satisfies Partial<Record<ParameterName, RecentKind>>;

const pageSize = 100;
const maxPages = 10;
const maxNamed = 5;

/** How the server lists what a prefix may mean; of other kinds only what was seen here is known. */
const lists = {
	environment: client => (place, query, signal) => client.listEnvironments({params: place, query}, signal),
	run: client => (place, query, signal) => client.listRuns({params: place, query}, signal),
	runtime: client => (place, query, signal) => client.listRuntimes({params: place, query}, signal),
	assessment: client => (place, query, signal) => client.listAssessments({params: place, query}, signal),
} satisfies Partial<
	Record<RecentKind, (client: Client) => (place: Place, query: Query, signal?: AbortSignal) => Promise<Page>>
>;

type ListedKind = keyof typeof lists;

/** The kinds that the server finds by a key, too: what is no beginning of an id is one, and an equal key comes first. */
const keyed: ReadonlySet<RecentKind> = new Set(['runtime']);

/** Something in a list of the server. */
type Listed = {readonly id: string; readonly key?: string};

export function createWholeIds({client, recents, profile}: Dependencies): WholeIds {
	const listed = async (
		kind: RecentKind,
		{org = '', workspace = ''}: Params,
		signal?: AbortSignal,
	): Promise<readonly Listed[]> => {
		if (!isListed(kind) || !org || !workspace) {
			return [];
		}

		const found: Listed[] = [];
		for (let page = 1; page <= maxPages; page++) {
			const asked = lists[kind](client)({org, workspace}, {page, page_size: pageSize}, signal);
			const answer = await ifOffered<Page>(client, asked, signal);
			found.push(...(answer?.items ?? []).filter(isIdentified));
			if (found.length >= (answer?.total ?? 0)) {
				break;
			}
		}

		return found;
	};

	const find: WholeIds['find'] = async (kind, text, params, signal) => {
		if (uuid.safeParse(text).success || !isIdPrefix(text)) {
			return text;
		}

		const onServer = await listed(kind, params, signal);
		if (keyed.has(kind) && onServer.some(({key}) => key === text)) {
			return text;
		}

		const known = [...recents.recall(profile, kind), ...onServer.map(({id}) => id)];
		const isMeant = (id: string) => uuid.safeParse(id).success && id.startsWith(text.toLowerCase());
		const begin = known.map(id => id.toLowerCase()).filter(isMeant);
		const matches = [...new Set(begin)];
		const [match] = matches;
		if (!match && keyed.has(kind)) {
			return text;
		}

		if (!match) {
			throw new AppError('not-found', `No ${kind} id starts with “${text}”.`, {
				hint: 'Type the full id, or press Tab to complete it.',
			});
		}

		if (matches.length > 1) {
			const more = matches.length > maxNamed ? ` and ${matches.length - maxNamed} more` : '';
			const named = `${matches.slice(0, maxNamed).join(', ')}${more}`;
			throw new AppError('usage', `“${text}” matches ${matches.length} ids: ${named}.`, {
				hint: 'Type more characters of the id.',
			});
		}

		return match;
	};

	const wholeParams = async (params: Params, signal?: AbortSignal): Promise<Params> => {
		const whole = Object.entries(params).map(async ([name, value]) => {
			const kind = kinds[name];
			return [name, kind ? await find(kind, value, params, signal) : value] as const;
		});
		return Object.fromEntries(await Promise.all(whole));
	};

	const functions = Object.entries(client).map(([id, operation]) => [
		id,
		async (call: {readonly params?: Params} = {}, signal?: AbortSignal) => {
			const params = call.params && (await wholeParams(call.params, signal));
			// The types of one operation are those of the same one here.
			return (operation as (call: object, signal?: AbortSignal) => Promise<unknown>)(
				{...call, ...(params && {params})},
				signal,
			);
		},
	]);
	return {client: Object.fromEntries(functions) as Client, find};
}

function isListed(kind: RecentKind): kind is ListedKind {
	return kind in lists;
}

function isIdentified(item: object): item is Listed {
	return 'id' in item && typeof item.id === 'string';
}
