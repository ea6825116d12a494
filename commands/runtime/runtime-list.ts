import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pageFlags, pageHelp} from '../../src/command/paging.ts';
import {listQuery, platformList} from '../../src/command/views/platform-list.ts';

export default command({
	name: 'list',
	summary: 'List the runtimes of the workspace, newest first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['runtime list', 'runtime list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listRuntimes(call, context.signal), {
			name: 'runtimes',
			kind: 'runtime',
			line: 'runtime list',
			columns: ['key', 'status', 'name', 'task_ref', 'owned_by_me', 'project_key', 'created_at', 'id'],
			empty: 'No runtimes yet. Create one: `runtime create <name> <task>`',
			opens: {words: ['runtime', 'show'], by: 'key'},
			flags,
		});
	},
});
