import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {platformSessionResult} from '../src/command/platform-session-result.ts';

const unarchive = command({
	name: 'unarchive',
	summary: 'Bring a session back from the archive',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'UUID of the session, or the beginning of one'},
	completes: {session: 'session'},
	examples: ['session unarchive 7d9f3a52'],
	whileRunning: true,

	async run({session}, {platform, signal}) {
		const {client, scope} = await platform.open();
		const params = {...scope('org', 'workspace'), sessionId: session};
		return platformSessionResult(await client.unarchiveSession({params}, signal));
	},
});

export default noun({name: 'session', summary: 'Sessions of the platform', verbs: [unarchive]});
