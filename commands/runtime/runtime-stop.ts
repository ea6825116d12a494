import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';

export default command({
	name: 'stop',
	summary: 'Stop a runtime, running or paused; its files stay',
	args: z.object({runtime: z.string(), yes: z.optional(z.boolean())}),
	positional: ['runtime'],
	describe: {runtime: 'key or UUID of the runtime', yes: 'skip the confirmation'},
	completes: {runtime: 'runtime'},
	examples: ['runtime stop dev-box --yes'],
	whileRunning: true,

	async run(
		{runtime, yes},
		{
			program: {
				servers: {platform},
			},
			ui: {interact},
			signal,
		},
	) {
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), runtimeId: runtime};
		const before = await client.getRuntime({params}, signal);
		const key = before.key ?? runtime;
		if (before.status === 'idle') {
			return {kind: 'text', text: `${key} isn't running.`, data: originalOf(before)};
		}

		if (!yes && !(await interact.confirm(`Stop ${key}? This ends its programs; its files stay.`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		return {kind: 'text', text: `Stopped ${key}.`, data: originalOf(await client.stopRuntime({params}, signal))};
	},
});
