import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {runtimeResult} from '../src/command/runtime-result.ts';

const resume = command({
	name: 'resume',
	summary: 'Resume a runtime and show its limits and credits',
	args: z.object({runtime: z.string()}),
	positional: ['runtime'],
	describe: {runtime: 'key or UUID of the runtime'},
	completes: {runtime: 'runtime'},
	examples: ['runtime resume dev-box'],
	whileRunning: true,

	async run({runtime}, {platform, signal}) {
		const {client, scope} = await platform.open();
		const params = {...scope('org', 'workspace'), runtimeId: runtime};
		return runtimeResult(await client.resumeRuntime({params}, signal));
	},
});

export default noun({name: 'runtime', summary: 'Runtimes, the durable sandboxes', verbs: [resume]});
