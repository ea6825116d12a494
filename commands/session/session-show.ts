import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show a session saved on this machine, and what it used',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	describe: {session: 'id or prefix; defaults to the latest session of this folder'},
	completes: {session: 'saved-session'},
	examples: ['session show', 'session show 3f2a --json'],
	whileRunning: true,

	async run(
		{session},
		{
			program: {
				session: {saved: sessions},
				models,
			},
		},
	) {
		const {usageResult} = await import('../../src/command/views/usage-view.ts');
		const {savedSessionResult} = await import('../../src/command/views/saved-session-view.ts');
		const found = await sessions.findOrLatest(session);
		const [{transcript}, {priceOf, date}] = await Promise.all([sessions.read(found), models.catalog()]);
		return savedSessionResult(found, usageResult(transcript, priceOf, date));
	},
});
