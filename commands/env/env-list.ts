import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pageFlags, pageHelp} from '../../src/command/paging.ts';
import {listQuery, platformList} from '../../src/command/views/platform-list.ts';

export default command({
	name: 'list',
	summary: 'List the sandboxes of the workspace, running ones first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['env list', 'env list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listEnvironments(call, context.signal), {
			name: 'environments',
			kind: 'environment',
			line: 'env list',
			columns: ['id', 'state', 'task_ref', 'expires_at', 'project_key', 'created_at', 'error'],
			empty: 'No environments yet. Create one: `env create <task>`',
			opens: {words: ['env', 'show'], by: 'id'},
			flags,
		});
	},
});
