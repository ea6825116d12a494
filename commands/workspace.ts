import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp, pageQuery} from '../src/command/paging.ts';
import {platformList} from '../src/command/views/platform-list.ts';

const list = command({
	name: 'list',
	summary: 'List the workspaces of the organization',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['workspace list', 'workspace list --org acme'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const call = {params: await session.scope('org'), query: pageQuery(flags)};
		return await platformList(context, session, session.client.listWorkspaces(call, context.signal), {
			name: 'workspaces',
			kind: 'workspace',
			line: 'workspace list',
			columns: ['slug', 'name', 'id', 'created_at'],
			empty: 'No workspaces in this organization yet.',
			flags,
		});
	},
});

export default noun({name: 'workspace', summary: 'Workspaces of an organization', verbs: [list]});
