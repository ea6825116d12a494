import * as z from 'zod/mini';
import {readInputs, readPairs, wholeNumber} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {environmentResult} from '../src/command/environment-result.ts';
import {originalOf} from '../src/contract/lenient.ts';

const words = z.optional(z.array(z.string()));

const create = command({
	name: 'create',
	summary: 'Provision a sandbox that runs a task',
	args: z.object({
		task: z.string(),
		input: words,
		modelOverride: words,
		secret: words,
		timeout: z.optional(wholeNumber),
		showToken: z.optional(z.boolean()),
	}),
	positional: ['task'],
	describe: {
		task: '[org/]name[@version]',
		input: 'an input as name=text, or name:=json; may be repeated',
		modelOverride: 'another model as name=model; may be repeated',
		secret: 'id of a secret that the task gets; may be repeated',
		timeout: 'seconds',
		showToken: 'show the execute token, which is a credential',
	},
	examples: [
		'env create acme/triage@2 --input repo=parser --timeout 3600',
		'env create triage --input retries:=3 --model-override judge=anthropic/claude-sonnet-4-5',
	],
	whileRunning: true,

	async run({task, input, modelOverride, secret, timeout, showToken = false}, {platform, signal}) {
		const inputs = input && readInputs('input', input);
		const overrides = modelOverride && readPairs('model-override', modelOverride);
		const {client, scope, project} = await platform.open();
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
		const environment = await client.createEnvironment({params: scope('org', 'workspace'), body}, signal);
		return environmentResult(environment, {showToken});
	},
});

const logs = command({
	name: 'logs',
	summary: 'Show the end of the log of a sandbox',
	args: z.object({environment: z.string()}),
	positional: ['environment'],
	describe: {environment: 'UUID of the environment'},
	completes: {environment: 'environment'},
	examples: ['env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run({environment}, {platform, interact, signal}) {
		const {client, scope} = await platform.open();
		const params = {...scope('org', 'workspace'), environmentId: environment};
		const answer = await client.getEnvironmentLogs({params}, signal);
		const lines = (answer.logs ?? '').replace(/\n$/, '').split('\n');
		const isEmpty = !answer.logs;
		if (isEmpty) {
			interact.say('The log is empty.');
		}

		return {kind: 'lines', lines: isEmpty ? [] : lines, colored: true, data: originalOf(answer)};
	},
});

export default noun({name: 'env', summary: 'Task environments', verbs: [create, logs]});
