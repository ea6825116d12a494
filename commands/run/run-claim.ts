import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {nameCommands} from '../../src/core/command-words.ts';

export default command({
	name: 'claim',
	summary: 'Claim a pending run for this host',
	args: z.object({run: z.string(), runtime: z.optional(z.string()), execution: z.optional(z.string())}),
	positional: ['run'],
	describe: {
		run: 'its id or a unique prefix',
		runtime: 'key, id or unique prefix of the runtime that claims it',
		execution: 'UUID of an earlier attempt, to repeat it',
	},
	completes: {run: 'run', runtime: 'runtime'},
	examples: ['run claim 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run(
		{run, runtime: typed, execution = randomUUID()},
		{
			program: {
				servers: {platform},
			},
			ui: {interact, live},
			signal,
		},
	) {
		const {claimResult, withSameAttempt} = await import('../../src/command/views/run-claim-view.ts');
		const {client, scope, findUuid} = await platform.open();
		const place = await scope('org', 'workspace');
		const runtime = typed === undefined ? undefined : await findUuid('runtime', typed, place, signal);
		const params = {...place, runId: run};
		const body = {execution_id: execution, ...(runtime !== undefined && {runtime_id: runtime})};
		const say = (text: string) => interact.say(nameCommands(text, live ? 'app' : 'shell'));
		const claimed = client.claimRun({params, body}, signal);
		return claimResult(await withSameAttempt(claimed, {run, runtime, execution}, {signal, say}));
	},
});
