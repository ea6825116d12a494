import * as z from 'zod/mini';
import {countArgument, readInputs, readPairs, taskArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp} from '../src/command/paging.ts';
import {environmentResult, withoutToken} from '../src/command/views/environment-view.ts';
import {beginWork} from '../src/command/views/environment-work.ts';
import {followedLog} from '../src/command/views/followed-log.ts';
import {createLineCounter, streamLog} from '../src/command/views/log-stream.ts';
import {listQuery, platformList} from '../src/command/views/platform-list.ts';
import {explainSandboxRefusal} from '../src/command/views/runtime/runtime-refusal.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {AppError} from '../src/core/error.ts';
import {formatNumber} from '../src/core/format.ts';
import {createFilter} from '../src/logs/filter.ts';
import {levels} from '../src/logs/levels.ts';
import {createMatcher} from '../src/logs/matcher.ts';
import {waitTeller} from '../src/platform/wait-teller.ts';

const words = z.optional(z.array(z.string()));

const create = command({
	name: 'create',
	summary: 'Provision a sandbox that runs a task',
	args: z.object({
		task: taskArgument,
		input: words,
		modelOverride: words,
		secret: words,
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
		const {platform, live, signal, interact} = context;
		const inputs = input && readInputs('input', input);
		const overrides = modelOverride && readPairs('model-override', modelOverride);
		const session = await platform.open();
		const {client, scope, project} = session;
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
			// Cancelling in the middle would hide a sandbox that runs and costs.
			if (signal.aborted) {
				interact.say('The server may have created the sandbox anyway; env list shows it.');
			}

			throw explainSandboxRefusal(error, params.org);
		});
		if (live) {
			await beginWork({environment: withoutToken(originalOf(environment)), session, live}, context);
		}

		return environmentResult(environment, {showToken});
	},
});

const logs = command({
	name: 'logs',
	summary: 'Show the end of the log of a sandbox, or follow it',
	args: z.object({
		environment: z.string(),
		follow: z.optional(z.boolean()),
		sinceStart: z.optional(z.boolean()),
		grep: words,
		level: z.optional(z.enum(levels)),
		until: z.optional(z.string()),
		exitStatus: z.optional(z.boolean()),
	}),
	positional: ['environment'],
	describe: {
		environment: 'its id or a unique prefix',
		follow: 'follow new lines until Ctrl+C (the app always does)',
		sinceStart: 'start from the oldest line on the server',
		grep: 'only lines that match this regular expression; ! before it inverts; lower case ignores case; if repeated, all must match',
		level: `only lines of this level or above (${levels.join(', ')}), and lines without a level`,
		until: 'with --follow: exit once a line matches this regular expression; fail if the log ends first',
		exitStatus: 'with --follow: fail if the environment is gone at the end',
	},
	completes: {environment: 'environment'},
	examples: [
		'env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		"env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --grep '!health' --level warn",
	],
	whileRunning: true,

	async run({environment, follow = false, sinceStart = false, grep, level, until, exitStatus = false}, context) {
		const {platform, interact, signal} = context;
		const filter = createFilter({patterns: grep ?? [], least: level});
		const last = until === undefined ? undefined : createMatcher(until);
		if ((exitStatus || last) && !follow) {
			const flag = last ? '--until' : '--exit-status';
			throw new AppError('usage', `${flag} needs --follow.`, {hint: 'Add --follow.'});
		}

		if (context.live) {
			if (last) {
				throw new AppError('usage', '--until works in a shell only.', {
					hint: 'In the app, watch the log: `watch start <condition>`',
				});
			}

			return followedLog({environment, follow, sinceStart, patterns: grep, least: level}, context);
		}

		const {client, environment: pathOf, logOf} = await platform.open();
		if (follow || sinceStart) {
			const onWait = waitTeller(interact.say);
			const source = logOf(environment);
			return {
				kind: 'stream',
				batches: streamLog({source, signal, filter, follow, sinceStart, last, exitStatus, onWait}),
			};
		}

		const params = await pathOf(environment, signal);
		const answer = await client.getEnvironmentLogs({params}, signal);
		const all = answer.logs ? answer.logs.replace(/\n$/, '').split('\n') : [];
		const items = createLineCounter(filter).lines(all);
		if (items.length === 0) {
			interact.say(all.length === 0 ? 'The log is empty.' : `None of ${formatNumber(all.length)} lines is shown.`);
		}

		return {
			kind: 'lines',
			lines: items.map(({text}) => text),
			colored: true,
			data: originalOf(answer),
			records: items.map(({data}) => data),
		};
	},
});

const list = command({
	name: 'list',
	summary: 'List the sandboxes of the workspace, running ones first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['env list', 'env list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listEnvironments(call, context.signal), {
			name: 'environments',
			kind: 'environment',
			line: 'env list',
			columns: ['id', 'state', 'task_ref', 'expires_at', 'project_key', 'created_at', 'error'],
			empty: 'No environments yet. Create one: `env create <task>`',
			opens: {words: ['env', 'show'], by: 'id'},
			flags,
		});
	},
});

const environmentArgument = {
	positional: ['environment'],
	completes: {environment: 'environment'},
} as const;

const show = command({
	name: 'show',
	summary: 'Show a sandbox: its state, services and instruction',
	args: z.object({environment: z.string()}),
	...environmentArgument,
	describe: {environment: 'UUID of the environment'},
	examples: ['env show 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run({environment}, {platform, signal}) {
		const {client, environment: pathOf} = await platform.open();
		const params = await pathOf(environment, signal);
		return environmentResult(await client.getEnvironment({params}, signal), {showToken: false});
	},
});

const stop = command({
	name: 'stop',
	summary: 'Stop a sandbox and delete its files; its log stays',
	args: z.object({environment: z.string(), yes: z.optional(z.boolean())}),
	...environmentArgument,
	describe: {environment: 'its id or a unique prefix', yes: 'skip the confirmation'},
	examples: ['env stop 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --yes'],
	whileRunning: true,

	async run({environment, yes}, {platform, interact, signal}) {
		const {client, environment: pathOf} = await platform.open();
		const params = await pathOf(environment, signal);
		const before = await client.getEnvironment({params}, signal);
		const name = before.task_ref ?? environment;
		if (before.state === 'torn_down' || before.state === 'failed') {
			return {kind: 'text', text: `${name} has already ended.`, data: originalOf(before)};
		}

		if (!yes && !(await interact.confirm(`Stop ${name} (${environment})? This deletes its files.`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		return {kind: 'text', text: `Stopped ${name}.`, data: originalOf(await client.stopEnvironment({params}, signal))};
	},
});

export default noun({name: 'env', summary: 'Task environments', verbs: [create, list, show, logs, stop]});
