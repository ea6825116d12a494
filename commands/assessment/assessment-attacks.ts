import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'attacks',
	summary: 'List the attacks of an assessment with rates and scores',
	args: z.object({assessment: z.string()}),
	positional: ['assessment'],
	completes: {assessment: 'assessment'},
	describe: {assessment: 'id of the assessment, or a unique prefix'},
	examples: ['assessment attacks 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run(
		{assessment},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {attackTable} = await import('../../src/command/views/finding/attack-table.ts');
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), assessmentId: assessment};
		return attackTable(await client.getAttackSpans({params}, signal));
	},
});
