import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';

const stats = command({
	name: 'stats',
	summary: 'Show how much of an evaluation was traced',
	args: z.object({evaluation: z.string()}),
	positional: ['evaluation'],
	describe: {evaluation: 'id of the evaluation'},
	completes: {evaluation: 'evaluation'},
	examples: ['eval stats nightly-42'],
	whileRunning: true,

	async run({evaluation}, {program, signal}) {
		const {evaluationResult} = await import('../src/command/views/evaluation-view.ts');
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), evaluationId: evaluation};
		return evaluationResult(await client.getEvaluationTraceStats({params}, signal));
	},
});

export default noun({name: 'eval', summary: 'Evaluations', verbs: [stats]});
