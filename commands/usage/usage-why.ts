import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {sessionTranscript} from '../../src/command/views/usage/session-transcript.ts';

export default command({
	name: 'why',
	summary: 'Explain the last jump in cost, such as a lost cache',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage why'],
	whileRunning: true,

	async run({session}, context) {
		const {jumpResult} = await import('../../src/command/views/usage/jump-view.ts');
		const {lastJump} = await import('../../src/core/ledger/cost-jump.ts');
		const {priceOf} = await context.program.models.catalog();
		const requests = [...(await sessionTranscript(session, context)).usage.values()];
		return jumpResult(lastJump(requests, priceOf), requests.length, context.ui.live !== undefined);
	},
});
