import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {usageResult} from '../src/command/views/usage-view.ts';

export default command({
	name: 'usage',
	aliases: ['cost'],
	summary: 'Show what the session used and cost, by model',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage --json'],
	whileRunning: true,

	async run({session}, {live, sessions, store, models}) {
		const {priceOf, date} = await models.catalog();
		if (live && !session) {
			return usageResult(store.getState().transcript, priceOf, date);
		}

		const summary = await sessions.findOrLatest(session);
		return usageResult((await sessions.read(summary)).transcript, priceOf, date);
	},
});
