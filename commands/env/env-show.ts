import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'show',
	summary: 'Show a sandbox: its state, services and instruction',
	args: z.object({environment: z.string()}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'id of the sandbox, or a unique prefix'},
	examples: ['env show 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run(
		{environment},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {environmentResult} = await import('../../src/command/views/environment-view.ts');
		const {client, environment: pathOf} = await platform.open();
		const params = await pathOf(environment, signal);
		return environmentResult(await client.getEnvironment({params}, signal), {showToken: false});
	},
});
