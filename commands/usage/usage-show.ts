import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {sessionTranscript} from '../../src/command/views/usage/session-transcript.ts';

export default command({
	name: 'show',
	summary: 'Show what the session used and cost, by model',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage', 'usage --json'],
	whileRunning: true,

	async run({session}, context) {
		const {usageResult} = await import('../../src/command/views/usage-view.ts');
		const {priceOf, date} = await context.program.models.catalog();
		return usageResult(await sessionTranscript(session, context), priceOf, date);
	},
});
