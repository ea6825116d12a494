import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {sessionTranscript} from '../../src/command/views/usage/session-transcript.ts';

export default command({
	name: 'requests',
	summary: 'List the requests with their tokens, cause and cost',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage requests', 'usage requests --json'],
	whileRunning: true,

	async run({session}, context) {
		const {requestTable} = await import('../../src/command/views/usage/request-table.ts');
		const {priceOf} = await context.program.models.catalog();
		return requestTable((await sessionTranscript(session, context)).usage, priceOf);
	},
});
