import * as z from 'zod/mini';
import {countArgument, readInputs, readPairs, repeatable, taskArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {isLineByLine} from '../src/command/line-by-line.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {isOver} from '../src/contract/resources/environment.ts';
import {nameCommands} from '../src/core/command-words.ts';
import {AppError} from '../src/core/error.ts';
import {formatAmount} from '../src/core/format.ts';
import {createFilter} from '../src/logs/filter.ts';
import {levels} from '../src/logs/levels.ts';
import {createMatcher} from '../src/logs/matcher.ts';
import {retryNotice} from '../src/platform/retry-notice.ts';

const create = command({
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
		const {explainSandboxRefusal} = await import('../src/command/views/runtime/runtime-refusal.ts');
		const {beginWork} = await import('../src/command/views/environment-work.ts');
		const {environmentCard, environmentResult, withoutToken} = await import('../src/command/views/environment-view.ts');
		const {
			program: {servers},
			ui: {live, interact},
			flags,
			signal,
		} = context;
		const inputs = input && readInputs('input', input);
		const overrides = modelOverride && readPairs('model-override', modelOverride);
		const session = await servers.open();
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
			? environmentCard(environment, {showToken, exact: flags.exact}, Date.now())
			: environmentResult(environment, {showToken});
	},
});

const list = listCommand({
	summary: 'List the sandboxes of the workspace, running ones first',
	examples: ['env list', 'env list --project web'],
	name: 'environments',
	kind: 'environment',
	line: 'env list',
	columns: ['id', 'state', 'task_ref', 'expires_at', 'created_at', 'error', 'project_key'],
	empty: 'No sandboxes yet. Create one: `env create <task>`',
	opens: {words: ['env', 'show'], by: 'id'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listEnvironments(call, signal),
});

const show = command({
	name: 'show',
	summary: 'Show a sandbox: its state, services and instruction',
	args: z.object({environment: z.string()}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'id of the sandbox, or a unique prefix'},
	examples: ['env show 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run({environment}, {program, signal}) {
		const {environmentResult} = await import('../src/command/views/environment-view.ts');
		const {client, environment: pathOf} = await program.servers.open();
		const params = await pathOf(environment, signal);
		return environmentResult(await client.getEnvironment({params}, signal), {showToken: false});
	},
});

const logs = command({
	name: 'logs',
	summary: 'Show the end of a sandbox’s log, or follow it',
	args: z.object({
		environment: z.string(),
		follow: z.optional(z.boolean()),
		sinceStart: z.optional(z.boolean()),
		grep: repeatable,
		level: z.optional(z.enum(levels)),
		frames: z.optional(z.boolean()),
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
		frames: 'in the app line by line: all frames of stack traces, also those of libraries',
		until: 'with --follow: exit once a line matches this regular expression; fail if the log ends first',
		exitStatus: 'with --follow: fail if the sandbox is gone at the end',
	},
	completes: {environment: 'environment'},
	examples: [
		'env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		"env logs 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --grep '!health' --level warn",
	],
	whileRunning: true,

	async run(
		{environment, follow = false, sinceStart = false, grep, level, frames, until, exitStatus = false},
		context,
	) {
		const {createLineCounter, streamLog} = await import('../src/command/views/log-stream.ts');
		const {followedLog} = await import('../src/command/views/environment-work.ts');
		const {
			program: {servers},
			ui: {interact},
			signal,
		} = context;
		const filter = createFilter({patterns: grep ?? [], minLevel: level});
		const last = until === undefined ? undefined : createMatcher(until);
		if ((exitStatus || last) && !follow) {
			const flag = last ? '--until' : '--exit-status';
			throw new AppError('usage', `${flag} needs --follow.`, {hint: 'Add --follow.'});
		}

		if (context.ui.live) {
			if (last) {
				throw new AppError('usage', '--until works in a shell only.', {
					hint: 'Watch the log instead: `watch start <condition>`',
				});
			}

			return followedLog({environment, follow, sinceStart, patterns: grep, minLevel: level, frames}, context);
		}

		const {client, environment: pathOf, logOf} = await servers.open();
		if (follow || sinceStart) {
			const onWait = retryNotice(interact.say);
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
			interact.say(
				all.length === 0 ? 'The log is empty.' : `The filters hide all ${formatAmount(all.length, 'line')}.`,
			);
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

const stop = command({
	name: 'stop',
	summary: 'Stop a sandbox and delete its files; its log stays',
	args: z.object({environment: z.string(), yes: z.optional(z.boolean())}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'its id or a unique prefix', yes: 'skip the confirmation'},
	examples: ['env stop 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --yes'],
	whileRunning: true,

	async run({environment, yes}, {program, ui: {interact}, signal}) {
		const {client, environment: pathOf} = await program.servers.open();
		const params = await pathOf(environment, signal);
		const before = await client.getEnvironment({params}, signal);
		const name = before.task_ref ?? environment;
		if (isOver(before.state)) {
			program.watches.expiry.end(params.environmentId);
			return {kind: 'text', text: `${name} has already ended.`, data: originalOf(before)};
		}

		if (!yes && !(await interact.confirm(`Stop ${name} (${environment})? This deletes its files.`))) {
			return unchanged;
		}

		const answer = await client.stopEnvironment({params}, signal);
		program.watches.expiry.end(params.environmentId);
		const {store} = program;
		if (store.getState().offered?.text.includes(params.environmentId)) {
			store.setState({offered: undefined});
		}

		return {kind: 'text', text: `Stopped ${name}.`, data: originalOf(answer)};
	},
});

const remove = command({
	name: 'delete',
	summary: 'Delete a sandbox that has ended, with its log',
	args: z.object({environment: z.string(), yes: z.optional(z.boolean())}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'its id or a unique prefix', yes: 'skip the confirmation'},
	examples: ['env delete 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --yes'],
	whileRunning: true,

	async run({environment, yes}, {program, ui: {interact}, signal}) {
		const {client, environment: pathOf} = await program.servers.open();
		const params = await pathOf(environment, signal);
		if (!yes && !(await interact.confirm(`Delete sandbox ${environment} with its log? It can't be restored.`))) {
			return unchanged;
		}

		await client.deleteEnvironment({params}, signal);
		return {
			kind: 'text',
			text: `Deleted sandbox ${environment}.`,
			data: {id: params.environmentId, deleted: true},
		};
	},
});

const exportEnvironment = command({
	name: 'export',
	summary: 'Write a sandbox and its log, a line of JSON each',
	args: z.object({environment: z.string()}),
	positional: ['environment'],
	completes: {environment: 'environment'},
	describe: {environment: 'its id or a unique prefix'},
	examples: ['env export 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	where: 'shell',

	async run({environment}, {program, ui: {interact}, signal}) {
		const {exportEnvironment: lines} = await import('../src/command/views/environment-export.ts');
		const {streamLog} = await import('../src/command/views/log-stream.ts');
		const {client, environment: pathOf, logOf} = await program.servers.open();
		const params = await pathOf(environment, signal);
		const source = logOf(environment);
		const reading = {follow: false, sinceStart: true, exitStatus: false, onWait: retryNotice(interact.say)};
		const log = streamLog({source, signal, filter: createFilter({}), ...reading});
		return {kind: 'stream', batches: await lines(client, {params}, {log, signal})};
	},
});

export default noun({
	name: 'env',
	summary: 'Sandboxes that run tasks',
	verbs: [create, list, show, logs, stop, remove, exportEnvironment],
});
