import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'unarchive',
	summary: 'Restore a session from the archive',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'id of the session, or a unique prefix'},
	completes: {session: 'session'},
	examples: ['session unarchive 7d9f3a52'],
	whileRunning: true,

	async run(
		{session},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {platformSessionResult} = await import('../../src/command/views/platform-session-view.ts');
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), sessionId: session};
		return platformSessionResult(await client.unarchiveSession({params}, signal));
	},
});
