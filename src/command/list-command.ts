import * as z from 'zod/mini';
import type {Client} from '../client/client.ts';
import type {Scope} from '../contract/endpoint.ts';
import {command} from './command.ts';
import type {Command} from './context.ts';
import {pageFlags, pageHelp, pageQuery} from './paging.ts';
import {type ListPage, type ListView, platformList} from './views/platform-list.ts';

type ListQuery = ReturnType<typeof pageQuery> & {readonly project?: string};

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
