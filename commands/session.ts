import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp} from '../src/command/paging.ts';
import {listQuery, platformList} from '../src/command/views/platform-list.ts';
import {platformSessionResult} from '../src/command/views/platform-session-view.ts';
import {savedSessionResult} from '../src/command/views/saved-session-view.ts';
import {usageResult} from '../src/command/views/usage-view.ts';

const show = command({
	name: 'show',
	summary: 'Show a saved session of this machine, and what it used',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	describe: {session: 'id or prefix; defaults to the latest session of this folder'},
	completes: {session: 'saved-session'},
	examples: ['session show', 'session show 3f2a --json'],
	whileRunning: true,

	async run({session}, {sessions, models}) {
		const found = await sessions.findOrLatest(session);
		const [{transcript}, {priceOf, date}] = await Promise.all([sessions.read(found), models.catalog()]);
		return savedSessionResult(found, usageResult(transcript, priceOf, date));
	},
});

const list = command({
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

const unarchive = command({
	name: 'unarchive',
	summary: 'Restore a session from the archive',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'UUID of the session, or a unique prefix'},
	completes: {session: 'session'},
	examples: ['session unarchive 7d9f3a52'],
	whileRunning: true,

	async run({session}, {platform, signal}) {
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), sessionId: session};
		return platformSessionResult(await client.unarchiveSession({params}, signal));
	},
});

export default noun({
	name: 'session',
	summary: 'A session on this machine, or of the platform',
	verbs: [list, show, unarchive],
});
