import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {platformSessionResult} from '../src/command/platform-session-result.ts';
import {savedSessionResult} from '../src/command/saved-session-result.ts';
import {usageResult} from '../src/command/usage-result.ts';

const show = command({
	name: 'show',
	summary: 'Show a saved session of this machine, and what it used',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	describe: {session: 'id or prefix; the latest one of this folder otherwise'},
	completes: {session: 'saved-session'},
	examples: ['session show', 'session show 3f2a --json'],
	whileRunning: true,

	async run({session}, {sessions, models}) {
		const found = await sessions.findOrLatest(session);
		const [{transcript}, {priceOf, date}] = await Promise.all([sessions.read(found), models.catalog()]);
		return savedSessionResult(found, usageResult(transcript, priceOf, date));
	},
});

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

export default noun({
	name: 'session',
	summary: 'A session on this machine, or of the platform',
	verbs: [show, unarchive],
});
