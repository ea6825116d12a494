import * as z from 'zod/mini';
import {countArgument, taskArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';

const list = listCommand({
	summary: 'List the runtimes of the workspace, newest first',
	examples: ['runtime list', 'runtime list --project web'],
	name: 'runtimes',
	kind: 'runtime',
	line: 'runtime list',
	columns: ['key', 'status', 'name', 'task_ref', 'created_at', 'owned_by_me', 'project_key', 'id'],
	empty: 'No runtimes yet. Create one: `runtime create <name> <task>`',
	opens: {words: ['runtime', 'show'], by: 'key'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listRuntimes(call, signal),
});

const show = command({
	name: 'show',
	summary: 'Show a runtime with its limits and credits',
	args: z.object({runtime: z.string()}),
	positional: ['runtime'],
	describe: {runtime: 'key, id or unique prefix of the runtime'},
	completes: {runtime: 'runtime'},
	examples: ['runtime show dev-box'],
	whileRunning: true,

	async run({runtime}, {program, signal}) {
		const {runtimeResult} = await import('../src/command/views/runtime/runtime-view.ts');
		const {client, scope} = await program.servers.open();
		return runtimeResult(
			await client.getRuntime({params: {...(await scope('org', 'workspace')), runtimeId: runtime}}, signal),
		);
	},
});

const create = command({
	name: 'create',
	summary: 'Create a runtime that runs a task when it is resumed',
	args: z.object({
		name: z.string(),
		task: taskArgument,
		title: z.optional(z.string()),
		description: z.optional(z.string()),
		timeout: z.optional(countArgument()),
	}),
	positional: ['name', 'task'],
	describe: {
		name: 'its key in commands: lower-case letters, digits and dashes',
		task: '[org/]name[@version]',
		title: 'a longer display name; defaults to the key',
		description: 'what it is for',
		timeout: 'seconds it may run at once; defaults to the organization’s limit',
	},
	completes: {task: 'task'},
	examples: ['runtime create dev-box web-shop', 'runtime create dev-box web-shop --title "Ada’s box" --timeout 7200'],
	whileRunning: true,

	async run({name, task, title, description, timeout}, {program, signal}) {
		const {runtimeResult} = await import('../src/command/views/runtime/runtime-view.ts');
		const {client, scope, project: projectOf} = await program.servers.open();
		const project = await projectOf();
		const body = {
			key: name,
			task_ref: task,
			...(title !== undefined && {name: title}),
			...(description !== undefined && {description}),
			...(project && {project_id: project}),
			...(timeout !== undefined && {timeout_sec: timeout}),
		};
		const runtime = await client.createRuntime({params: await scope('org', 'workspace'), body}, signal);
		return {
			kind: 'group',
			parts: [
				{kind: 'text', text: `Created ${name}.`, hint: `Start it: \`runtime resume ${name}\``},
				runtimeResult(runtime),
			],
			data: originalOf(runtime),
		};
	},
});

const resume = command({
	name: 'resume',
	summary: 'Resume a runtime and show its limits and credits',
	args: z.object({runtime: z.string(), yes: z.optional(z.boolean())}),
	positional: ['runtime'],
	describe: {runtime: 'key, id or unique prefix of the runtime', yes: 'skip the confirmation (only the app asks)'},
	completes: {runtime: 'runtime'},
	examples: ['runtime resume dev-box'],
	whileRunning: true,

	async run({runtime, yes}, {program, ui: {interact, live}, signal}) {
		const {stepsLine, withSteps} = await import('../src/command/views/runtime/runtime-plan.ts');
		const {runtimeResult} = await import('../src/command/views/runtime/runtime-view.ts');
		const {explainRuntimeRefusal} = await import('../src/command/views/runtime/runtime-refusal.ts');
		const {findRuntime, wakePlan} = await import('../src/command/views/runtime/runtime-plan.ts');
		const {client, scope, server, profile} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), runtimeId: runtime};
		const wake = () =>
			client.resumeRuntime({params}, signal).catch((error: unknown) => {
				throw explainRuntimeRefusal(error, runtime, params.org);
			});
		// Scripts rely on it not asking.
		if (!live) {
			return runtimeResult(await wake());
		}

		const {org, workspace} = params;
		const sighting = findRuntime(await program.local.sightings.recall(), runtime, {profile, server, org, workspace});
		const {question, title, facts} = wakePlan(runtime, sighting);
		if (question !== undefined && !yes && !(await interact.confirm(question, {title, facts}))) {
			return unchanged;
		}

		const {progress, say} = interact;
		const watch = {show: progress ?? say, isStill: !progress};
		const {answer, ...times} = await withSteps(`runtime ${runtime}`, wake, watch);
		const steps = stepsLine({server, ...times, status: answer.status});
		return {
			kind: 'group',
			parts: [
				...(facts.length > 0 ? [{kind: 'record', title, fields: facts, data: null} as const] : []),
				{kind: 'text', text: steps},
				runtimeResult(answer),
			],
			data: originalOf(answer),
		};
	},
});

const stop = command({
	name: 'stop',
	summary: 'Stop a runtime, running or paused; its files stay',
	args: z.object({runtime: z.string(), yes: z.optional(z.boolean())}),
	positional: ['runtime'],
	describe: {runtime: 'key, id or unique prefix of the runtime', yes: 'skip the confirmation'},
	completes: {runtime: 'runtime'},
	examples: ['runtime stop dev-box --yes'],
	whileRunning: true,

	async run({runtime, yes}, {program, ui: {interact}, signal}) {
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), runtimeId: runtime};
		const before = await client.getRuntime({params}, signal);
		const key = before.key ?? runtime;
		if (before.status === 'idle') {
			return {kind: 'text', text: `${key} isn't running.`, data: originalOf(before)};
		}

		if (!yes && !(await interact.confirm(`Stop ${key}? This ends its programs; its files stay.`))) {
			return unchanged;
		}

		return {kind: 'text', text: `Stopped ${key}.`, data: originalOf(await client.stopRuntime({params}, signal))};
	},
});

export default noun({
	name: 'runtime',
	summary: 'Runtimes (durable sandboxes)',
	verbs: [list, show, create, resume, stop],
});
