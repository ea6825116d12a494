import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show a runtime with its limits and credits',
	args: z.object({runtime: z.string()}),
	positional: ['runtime'],
	describe: {runtime: 'key, id or unique prefix of the runtime'},
	completes: {runtime: 'runtime'},
	examples: ['runtime show dev-box'],
	whileRunning: true,

	async run(
		{runtime},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {runtimeResult} = await import('../../src/command/views/runtime/runtime-view.ts');
		const {client, scope} = await platform.open();
		return runtimeResult(
			await client.getRuntime({params: {...(await scope('org', 'workspace')), runtimeId: runtime}}, signal),
		);
	},
});
