import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show a finding with its scores, trials and metrics',
	args: z.object({finding: z.string(), full: z.optional(z.boolean())}),
	positional: ['finding'],
	completes: {finding: 'finding'},
	describe: {finding: 'id of the finding, or a unique prefix', full: 'show long texts and all trials'},
	examples: ['finding show 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run(
		{finding, full = false},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {findingView} = await import('../../src/command/views/finding/finding-view.ts');
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), findingId: finding};
		return findingView(await client.getFinding({params}, signal), {full});
	},
});
