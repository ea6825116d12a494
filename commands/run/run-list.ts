import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pageFlags, pageHelp} from '../../src/command/paging.ts';
import {listQuery, platformList} from '../../src/command/views/platform-list.ts';

export default command({
	name: 'list',
	summary: 'List the workflow runs of the workspace, newest first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['run list', 'run list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listRuns(call, context.signal), {
			name: 'runs',
			kind: 'run',
			line: 'run list',
			columns: ['id', 'status', 'title', 'project_key', 'created_at', 'claimed_at'],
			empty: 'No runs yet. Push traces that name one: `trace push <file>`',
			opens: {words: ['run', 'items'], by: 'id'},
			flags,
		});
	},
});
