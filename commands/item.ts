import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';

const stage = command({
	name: 'stage',
	summary: 'Stage an item for submission, or show its active stage',
	args: z.object({
		item: z.string(),
		action: z.string(),
		capabilityName: z.string(),
		capabilityVersion: z.string(),
		platformSession: z.string(),
		rootRun: z.string(),
		currentTask: z.optional(z.string()),
		runtime: z.optional(z.string()),
		trace: z.optional(z.string()),
		span: z.optional(z.string()),
	}),
	positional: ['item'],
	describe: {
		item: 'id of the item, or a unique prefix of one seen here',
		action: 'UUID of the action that it is staged for',
		capabilityName: 'capability that stages it, 1 to 255 characters',
		capabilityVersion: 'its version, 1 to 100 characters',
		platformSession: 'id of the session, or a unique prefix',
		rootRun: 'id of the first run, 1 to 128 characters',
		currentTask: 'id of the task, 1 to 128 characters',
		runtime: 'key, id or unique prefix of the runtime',
		trace: 'id of the trace, 1 to 32 characters',
		span: 'id of the span, 1 to 16 characters',
	},
	completes: {item: 'item', platformSession: 'session', rootRun: 'run', runtime: 'runtime', trace: 'trace'},
	examples: [
		'item stage 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --action 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --capability-name triage --capability-version 1.2.0 --platform-session 7d9f3a52-1c7e-4f6e-9a55-0123456789ab --root-run run-7',
	],
	whileRunning: true,

	async run(args, {program, signal}) {
		const {stageResult} = await import('../src/command/views/item-view.ts');
		const {client, scope, findUuid} = await program.servers.open();
		const place = await scope('org', 'workspace', 'project');
		const params = {...place, itemId: args.item};
		const session = await findUuid('session', args.platformSession, place, signal);
		const runtime = args.runtime === undefined ? undefined : await findUuid('runtime', args.runtime, place, signal);
		const provenance = {
			capability_name: args.capabilityName,
			capability_version: args.capabilityVersion,
			platform_session_id: session,
			root_run_id: args.rootRun,
			...(args.currentTask !== undefined && {current_task_id: args.currentTask}),
			...(runtime !== undefined && {runtime_id: runtime}),
			...(args.trace !== undefined && {trace_id: args.trace}),
			...(args.span !== undefined && {span_id: args.span}),
		};
		return stageResult(
			await client.createSubmissionStage({params, body: {action_id: args.action, provenance}}, signal),
		);
	},
});

const schemas = command({
	name: 'schemas',
	summary: 'List the item types of the project and their schemas',
	args: z.object({}),
	examples: ['item schemas --project parser', 'item schemas --json'],
	whileRunning: true,

	async run(_, {program, signal}) {
		const {itemSchemasResult} = await import('../src/command/views/item-view.ts');
		const {client, scope} = await program.servers.open();
		return itemSchemasResult(await client.getItemSchemas({params: await scope('org', 'workspace', 'project')}, signal));
	},
});

export default noun({name: 'item', summary: 'Items that agents record', verbs: [stage, schemas]});
