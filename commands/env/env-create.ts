import * as z from 'zod/mini';
import {countArgument, readInputs, readPairs, repeatable, taskArgument} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {isLineByLine} from '../../src/command/line-by-line.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {nameCommands} from '../../src/core/command-words.ts';

export default command({
	name: 'create',
	summary: 'Create a sandbox that runs a task',
	args: z.object({
		task: taskArgument,
		input: repeatable,
		modelOverride: repeatable,
		secret: repeatable,
		timeout: z.optional(countArgument()),
		showToken: z.optional(z.boolean()),
	}),
	positional: ['task'],
	describe: {
		task: '[org/]name[@version] of a task on the server',
		input: 'an input as name=text, or name:=json; may be repeated',
		modelOverride: 'another model as name=model; may be repeated',
		secret: 'id of a secret to pass to the task; may be repeated',
		timeout: 'seconds',
		showToken: 'show the execute token, which is a credential',
	},
	completes: {task: 'task'},
	examples: [
		'env create web-shop --input shop_name=Corner --timeout 3600',
		'env create web-shop --input visits_per_minute:=30',
	],
	whileRunning: true,

	async run({task, input, modelOverride, secret, timeout, showToken = false}, context) {
		const {explainSandboxRefusal} = await import('../../src/command/views/runtime/runtime-refusal.ts');
		const {beginWork} = await import('../../src/command/views/environment-work.ts');
		const {environmentCard, environmentResult, withoutToken} = await import(
			'../../src/command/views/environment-view.ts'
		);
		const {
			program: {
				servers: {platform},
			},
			ui: {live, interact},
			signal,
		} = context;
		const inputs = input && readInputs('input', input);
		const overrides = modelOverride && readPairs('model-override', modelOverride);
		const session = await platform.open();
		const {client, scope} = session;
		const project = await session.project();
		const body = {
			task_ref: task,
			...(inputs && {inputs}),
			...(overrides && {model_overrides: overrides}),
			// The specification types it as a string, not as the UUID that `project_id` is elsewhere: like every project that a
			// request addresses, it may be a slug.
			...(project && {project_id: project}),
			...(secret && {secret_ids: secret}),
			...(timeout !== undefined && {timeout_sec: timeout}),
		};
		const params = await scope('org', 'workspace');
		const environment = await client.createEnvironment({params, body}, signal).catch((error: unknown) => {
			// The user must know of a sandbox that may run and cost.
			if (signal.aborted) {
				const text = 'The server may have created the sandbox anyway. Check: `env list`';
				interact.say(nameCommands(text, live ? 'app' : 'shell'));
			}

			throw explainSandboxRefusal(error, params.org);
		});
		if (live) {
			await beginWork({environment: withoutToken(originalOf(environment)), session, live}, context);
		}

		// Without a screen the prompt can't be seen, so that the task must stand in the result.
		return live && !isLineByLine(context)
			? environmentCard(environment, {showToken}, Date.now())
			: environmentResult(environment, {showToken});
	},
});
