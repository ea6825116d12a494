import * as z from 'zod/mini';
import type {Client} from '../client/client.ts';
import type {Scope} from '../contract/endpoint.ts';
import {countArgument} from './argument-types.ts';
import {command} from './command.ts';
import type {Command} from './context.ts';
import {type ListPage, type ListView, platformList} from './views/platform-list.ts';

type PageQuery = {readonly page?: number; readonly page_size?: number};

type ListQuery = PageQuery & {readonly project?: string};

/** The list of a noun on the server, a page at a time, and how it is shown. */
type ListDefinition<Name extends Scope> = ListView & {
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
	summary,
	examples,
	within,
	isByProject,
	request,
	...view
}: ListDefinition<Name>): Command {
	return command({
		name: 'list',
		summary,
		args: z.object(pageFlags),
		describe: pageHelp,
		examples,
		whileRunning: true,

		async run(flags, context) {
			const session = await context.program.servers.platform.open();
			const params = await session.scope(...within);
			const project = isByProject && context.flags.project ? await session.project() : undefined;
			const query = {...pageQuery(flags), ...(project !== undefined && {project})};
			const page = request(session.client, {params, query}, context.signal);
			return await platformList(context, session, page, view, flags);
		},
	});
}

/** The most entries of a page. */
const maxPageSize = 200;

/** The flags of a list with pages. */
export const pageFlags = {page: z.optional(countArgument()), pageSize: z.optional(countArgument(maxPageSize))};

export const pageHelp = {
	page: 'page number (default 1)',
	pageSize: `entries per page, 1 to ${maxPageSize} (default 50)`,
};

type Flags = {readonly page?: number | undefined; readonly pageSize?: number | undefined};

export function pageQuery({page, pageSize}: Flags): PageQuery {
	return {...(page !== undefined && {page}), ...(pageSize !== undefined && {page_size: pageSize})};
}

/** Returns how to see the next page if this one is full: the API doesn't say whether there is one. `line` is the command. */
export function pageNotes(line: string, {page = 1, pageSize = 50}: Flags, shown: number): readonly string[] {
	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	return shown > 0 && shown >= pageSize ? [`There may be more: \`${line} --page ${page + 1}${size}\``] : [];
}

/** Returns the text of an empty page. `next` is what to do if nothing is listed at all. */
export function emptyPage(names: string, {page = 1}: Flags, next: string): string {
	return page > 1 ? `No ${names} on page ${page}.` : `No ${names} yet. ${next}`;
}
