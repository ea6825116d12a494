import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp, pageQuery} from '../src/command/paging.ts';
import {platformList} from '../src/command/views/platform-list.ts';

const list = command({
	name: 'list',
	summary: 'List the projects of the workspace',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['project list', 'project list --org acme'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const call = {params: await session.scope('org', 'workspace'), query: pageQuery(flags)};
		return await platformList(context, session, session.client.listProjects(call, context.signal), {
			name: 'projects',
			kind: 'project',
			line: 'project list',
			columns: ['slug', 'name', 'id', 'created_at'],
			empty: 'No projects in this workspace yet.',
			flags,
		});
	},
});

export default noun({name: 'project', summary: 'Projects of a workspace', verbs: [list]});
