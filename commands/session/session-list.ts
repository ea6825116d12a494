import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pageFlags, pageHelp} from '../../src/command/paging.ts';
import {listQuery, platformList} from '../../src/command/views/platform-list.ts';

export default command({
	name: 'list',
	summary: 'List the sessions of the workspace, latest first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['session list', 'session list --project web --page 2'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listSessions(call, context.signal), {
			name: 'sessions',
			kind: 'session',
			line: 'session list',
			columns: ['id', 'title', 'updated_at', 'message_count', 'model', 'project_name', 'visibility', 'archived_at'],
			empty: 'No sessions in this workspace yet. `sessions` lists those of this folder.',
			flags,
		});
	},
});
