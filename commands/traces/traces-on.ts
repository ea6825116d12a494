import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'on',
	summary: 'Start sending traces of runs',
	args: z.object({content: z.optional(z.boolean())}),
	describe: {content: 'send prompts, answers, arguments and results too'},
	examples: ['traces on', 'traces on --content'],
	whileRunning: true,

	async run(
		{content = false},
		{
			program: {
				servers: {traces},
			},
		},
	) {
		const {traceStatus} = await import('../../src/command/views/traces/trace-status.ts');
		return traceStatus(await traces.set(content ? 'content' : 'on'));
	},
});
