import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {modeEffects} from '../src/store/approval-slice.ts';

export default command({
	name: 'plan',
	summary: 'Select plan mode: the agent reads, then proposes a plan',
	args: z.object({prompt: z.optional(z.string())}),
	positional: ['prompt'],
	rest: true,
	describe: {prompt: 'a message to send in that mode'},
	examples: ['plan rename the parser'],
	whileRunning: true,
	where: 'app',

	run({prompt}, {program, ui: {live}}) {
		program.store.getState().setApprovalMode('plan');
		if (prompt?.trim()) {
			live?.send(prompt);
		}

		return {kind: 'text', text: modeEffects.plan, data: {mode: 'plan'}};
	},
});
