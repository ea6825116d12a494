import * as z from 'zod/mini';
import {countArgument, taskArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp} from '../src/command/paging.ts';
import {listQuery, platformList} from '../src/command/views/platform-list.ts';
import {findRuntime, wakePlan} from '../src/command/views/runtime/runtime-plan.ts';
import {explainRuntimeRefusal} from '../src/command/views/runtime/runtime-refusal.ts';
import {runtimeResult} from '../src/command/views/runtime/runtime-view.ts';
import {stepsLine, withSteps} from '../src/command/views/runtime/runtime-wake.ts';
import {originalOf} from '../src/contract/lenient.ts';

const resume = command({
	name: 'resume',
	summary: 'Resume a runtime and show its limits and credits',
	args: z.object({runtime: z.string(), yes: z.optional(z.boolean())}),
	positional: ['runtime'],
	describe: {runtime: 'key or UUID of the runtime', yes: 'skip the confirmation (only the app asks)'},
	completes: {runtime: 'runtime'},
	examples: ['runtime resume dev-box'],
	whileRunning: true,

	async run({runtime, yes}, {platform, sightings, interact, live, signal}) {
		const {client, scope, server, profile} = await platform.open();
		const params = {...(await scope('org', 'workspace')), runtimeId: runtime};
		const wake = () =>
			client.resumeRuntime({params}, signal).catch((error: unknown) => {
				throw explainRuntimeRefusal(error, runtime, params.org);
			});
		// Scripts have called it without being asked for as long as there was it.
		if (!live) {
			return runtimeResult(await wake());
		}

		const {org, workspace} = params;
		const sighting = findRuntime(await sightings.recall(), runtime, {profile, server, org, workspace});
		const {question, title, facts} = wakePlan(runtime, sighting);
		if (question !== undefined && !yes && !(await interact.confirm(question, {title, facts}))) {
			return {kind: 'text', text: 'Nothing changed.'};
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

const list = command({
	name: 'list',
	summary: 'List the runtimes of the workspace, newest first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['runtime list', 'runtime list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listRuntimes(call, context.signal), {
			name: 'runtimes',
			kind: 'runtime',
			line: 'runtime list',
			columns: ['key', 'status', 'name', 'task_ref', 'owned_by_me', 'project_key', 'created_at', 'id'],
			empty: 'No runtimes yet. Create one: `runtime create <name> <task>`',
			opens: {words: ['runtime', 'show'], by: 'key'},
			flags,
		});
	},
});

const show = command({
	name: 'show',
	summary: 'Show a runtime with its limits and credits',
	args: z.object({runtime: z.string()}),
	positional: ['runtime'],
	describe: {runtime: 'key or UUID of the runtime'},
	completes: {runtime: 'runtime'},
	examples: ['runtime show dev-box'],
	whileRunning: true,

	async run({runtime}, {platform, signal}) {
		const {client, scope} = await platform.open();
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

	async run({name, task, title, description, timeout}, {platform, signal}) {
		const {client, scope, project} = await platform.open();
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

export default noun({
	name: 'runtime',
	summary: 'Runtimes (durable sandboxes)',
	verbs: [list, show, create, resume],
});
