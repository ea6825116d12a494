import * as z from 'zod/mini';
import type {Client} from '../client/client.ts';
import {assertServer, ifOffered} from '../client/extension.ts';
import type {RecentKind} from '../config/recents.ts';
import type {Sighting} from '../config/sightings.ts';
import type {Scope} from '../contract/endpoint.ts';
import {originalOf} from '../contract/lenient.ts';
import {isJsonObject, type JsonObject} from '../core/json.ts';
import type {PlatformSession} from '../platform/platform-session.ts';
import {countArgument} from './argument-types.ts';
import {command} from './command.ts';
import type {Command, CommandContext} from './context.ts';
import {looseTable} from './render/loose-table.ts';
import type {Result} from './result.ts';

type PageQuery = {readonly page?: number; readonly page_size?: number; readonly cursor?: string};

type ListQuery = PageQuery & {readonly project?: string};

/** The list of a noun on the server, a page at a time, and how it is shown. */
type ListDefinition<Name extends Scope> = ListView & {
	/** `list` by default. */
	readonly verb?: string;
	readonly summary: string;
	readonly examples: readonly string[];
	/** The scope that it belongs to. */
	readonly within: readonly Name[];
	/** True if `--project` narrows it. */
	readonly isByProject?: true;
	readonly request: (
		client: Client,
		call: {readonly params: Readonly<Record<Name, string>>; readonly query: ListQuery},
		signal: AbortSignal,
	) => Promise<ListPage>;
};

/** Defines the `list` of a noun. */
export function listCommand<Name extends Scope>({
	verb = 'list',
	summary,
	examples,
	within,
	isByProject,
	request,
	...view
}: ListDefinition<Name>): Command {
	return command({
		name: verb,
		summary,
		args: z.object(pageFlags),
		describe: pageHelp,
		examples,
		whileRunning: true,

		async run(flags, context) {
			const session = await context.program.servers.open();
			const params = await session.scope(...within);
			const project = isByProject && context.flags.project ? await session.project() : undefined;
			const query = {...pageQuery(flags), ...(project !== undefined && {project})};
			const page = request(session.client, {params, query}, context.signal);
			const line = project === undefined ? view.line : `${view.line} --project ${project}`;
			return await platformList(context, session, page, {...view, line}, flags);
		},
	});
}

/** The most entries of a page. */
const maxPageSize = 200;

/** The flags of a list with pages. */
export const pageFlags = {
	page: z.optional(countArgument()),
	pageSize: z.optional(countArgument(maxPageSize)),
	cursor: z.optional(z.string()),
};

export const pageHelp = {
	page: 'page number (default 1)',
	pageSize: `entries per page, 1 to ${maxPageSize} (default 50)`,
	cursor: 'next_cursor of an answer (--json), for the entries behind it',
};

type Flags = {
	readonly page?: number | undefined;
	readonly pageSize?: number | undefined;
	readonly cursor?: string | undefined;
};

export function pageQuery({page, pageSize, cursor}: Flags): PageQuery {
	return {
		...(page !== undefined && {page}),
		...(pageSize !== undefined && {page_size: pageSize}),
		...(cursor !== undefined && {cursor}),
	};
}

/**
 * Returns how to see the next page. If this one is full and the server gave no cursor, nobody knows whether there is one. `line`
 * is the command.
 */
export function pageNotes(
	line: string,
	{page = 1, pageSize = 50, cursor}: Flags,
	{shown, next}: {readonly shown: number; readonly next?: string | null | undefined},
): readonly string[] {
	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	if (cursor !== undefined) {
		return next ? [`Next: \`${line} --cursor ${next}${size}\``] : [];
	}

	const more = `\`${line} --page ${page + 1}${size}\``;
	return next
		? [`Next: ${more}`]
		: next === undefined && shown > 0 && shown >= pageSize
			? [`There may be more: ${more}`]
			: [];
}

/** Returns the text of an empty page. `next` is what to do if nothing is listed at all. */
export function emptyPage(names: string, {page = 1}: Flags, next: string): string {
	return page > 1 ? `No ${names} on page ${page}.` : `No ${names} yet. ${next}`;
}

type ListPage = {
	readonly items?: readonly object[];
	readonly total?: number;
	readonly next_cursor?: string | null | undefined;
};

/** How a list is shown. */
type ListView = {
	/** What it lists, in the plural; and one of it, as completion names it. */
	readonly name: string;
	/** Undefined for a list that nothing is remembered of. */
	readonly kind?: RecentKind;
	/** The command as the user types it. */
	readonly line: string;
	/** Fields of an entry. Each one that an entry has is a column. */
	readonly columns: readonly string[];
	/** Shown if the list is empty. */
	readonly empty: string;
	/** The command that shows one entry, and the field that is its last word. */
	readonly opens?: {readonly words: readonly string[]; readonly by: string};
};

/** Returns a list of the server; if the server doesn't offer it, what was seen of it on this machine. */
async function platformList(
	context: CommandContext,
	{client, server, profile}: PlatformSession,
	page: Promise<ListPage>,
	view: ListView,
	flags: Flags,
): Promise<Result> {
	const answer = await ifOffered(client, page, context.signal);
	if (!answer) {
		const seen = await seenItems(context, {server, profile, ...view});
		if (seen.length === 0) {
			await assertServer(client, server, context.signal);
		}

		return seenTable(seen, {server, ...view});
	}

	const items = (answer.items ?? []).filter(isJsonObject);
	const {columns, empty, line, opens, name} = view;
	const total = answer.total ?? items.length;
	return looseTable({
		items,
		first: columns,
		hides: field => !columns.includes(field),
		empty: total > 0 ? `No ${name} on page ${flags.page ?? 1}; there are ${total} in all.` : empty,
		notes: nextPage(line, flags, {...answer, total}),
		...(opens && {
			opens: {
				words: opens.words,
				ids: items.map(item => (typeof item[opens.by] === 'string' ? `${item[opens.by]}` : '')),
			},
		}),
		data: originalOf(answer),
	});
}

/** Returns how to see the next page, if there is one: by cursor, if this one was. */
function nextPage(
	line: string,
	{page = 1, pageSize = 50, cursor}: Flags,
	{total = 0, next_cursor: next}: ListPage,
): readonly string[] {
	const pages = Math.ceil(total / pageSize);
	if (cursor !== undefined) {
		return pageNotes(line, {pageSize, cursor}, {shown: 0, next});
	}

	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	return page < pages ? [`Page ${page} of ${pages}. Next: \`${line} --page ${page + 1}${size}\``] : [];
}

/** What is listed: its name in the plural, and its fields. */
type Listed = {readonly server: string; readonly name: string; readonly columns: readonly string[]};

type Where = Pick<Listed, 'server' | 'columns'> & {readonly profile: string; readonly kind?: RecentKind};

/** Returns the table of what this machine has seen of a server that offers no list, with a note that says so. */
function seenTable(items: readonly JsonObject[], {server, name, columns}: Listed): Result {
	const first = [...columns, 'seen_at'];
	return looseTable({
		items,
		first,
		hides: field => !first.includes(field),
		empty: `${server} doesn't list ${name}, and this machine has seen none. Name one by its id.`,
		notes: items.length > 0 ? [`${server} doesn't list ${name}. These were seen on this machine.`] : [],
		data: {items, source: 'seen on this machine'},
	});
}

/** Returns what this machine has seen of a server, newest first. */
async function seenItems(
	{program, flags}: CommandContext,
	{server, profile, kind, columns}: Where,
): Promise<readonly JsonObject[]> {
	if (kind === undefined) {
		return [];
	}

	const {org, workspace} = flags;
	const isAsked = (sighting: Sighting) =>
		sighting.kind === kind &&
		sighting.profile === profile &&
		sighting.server === server &&
		(org === undefined || sighting.org === org) &&
		(workspace === undefined || sighting.workspace === workspace);
	const seen = (await program.local.sightings.recall())
		.filter(isAsked)
		.map(({id, shown, at}) => ({id, ...shown, seen_at: at}));
	const [field = 'id'] = columns;
	return seen.length > 0 ? seen : program.local.recents.recall(profile, kind).map(id => ({[field]: id}));
}
