import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {isOver} from '../../src/contract/resources/environment.ts';

export default command({
	name: 'stop',
	summary: 'Stop a sandbox and delete its files; its log stays',
	args: z.object({environment: z.string(), yes: z.optional(z.boolean())}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'its id or a unique prefix', yes: 'skip the confirmation'},
	examples: ['env stop 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --yes'],
	whileRunning: true,

	async run(
		{environment, yes},
		{
			program: {
				servers: {platform},
				watches: {expiry},
			},
			ui: {interact},
			signal,
		},
	) {
		const {client, environment: pathOf} = await platform.open();
		const params = await pathOf(environment, signal);
		const before = await client.getEnvironment({params}, signal);
		const name = before.task_ref ?? environment;
		if (isOver(before.state)) {
			expiry.end(params.environmentId);
			return {kind: 'text', text: `${name} has already ended.`, data: originalOf(before)};
		}

		if (!yes && !(await interact.confirm(`Stop ${name} (${environment})? This deletes its files.`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const answer = await client.stopEnvironment({params}, signal);
		expiry.end(params.environmentId);
		return {kind: 'text', text: `Stopped ${name}.`, data: originalOf(answer)};
	},
});
