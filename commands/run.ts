import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {countArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {nameCommands} from '../src/core/command-words.ts';
import {AppError} from '../src/core/error.ts';

const list = listCommand({
	summary: 'List the workflow runs of the workspace, newest first',
	examples: ['run list', 'run list --project web'],
	name: 'runs',
	kind: 'run',
	line: 'run list',
	columns: ['id', 'status', 'title', 'created_at', 'claimed_at', 'project_key'],
	empty: 'No runs yet. Push traces that name one: `trace push <file>`',
	opens: {words: ['run', 'items'], by: 'id'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listRuns(call, signal),
});

const items = command({
	name: 'items',
	summary: 'Show what a run recorded',
	args: z.object({run: z.string(), type: z.optional(z.string()), limit: z._default(countArgument(1000), 200)}),
	positional: ['run'],
	describe: {
		run: 'its id or a unique prefix',
		type: 'only items of this type',
		limit: 'how many, 1 to 1000 (default 200)',
	},
	completes: {run: 'run'},
	examples: [
		'run items 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --project 1c7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --type findings',
	],
	whileRunning: true,

	async run({run, type, limit}, {program, flags, signal}) {
		const {runItemsResult} = await import('../src/command/views/item-view.ts');
		const {client, scope, projectId} = await program.servers.open();
		const {project, ...place} = await scope('org', 'workspace', 'project');
		const query = {project_id: await projectId(), limit, ...(type !== undefined && {item_type: type})};
		const found = await client.listRunItems({params: {...place, runId: run}, query}, signal);
		if (flags.json || found.length === 0) {
			return runItemsResult(found, {schemas: [], limit});
		}

		try {
			const {schemas = []} = await client.getItemSchemas({params: {...place, project}}, signal);
			return runItemsResult(found, {schemas, limit});
		} catch (error) {
			// The items matter; the titles of their schemas are optional.
			if (error instanceof AppError) {
				return runItemsResult(found, {schemas: [], limit, trouble: error.message});
			}

			throw error;
		}
	},
});

const claim = command({
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

	async run({run, runtime: typed, execution = randomUUID()}, {program, ui: {interact, live}, signal}) {
		const {claimResult, withSameAttempt} = await import('../src/command/views/run-claim-view.ts');
		const {client, scope, findUuid} = await program.servers.open();
		const place = await scope('org', 'workspace');
		const runtime = typed === undefined ? undefined : await findUuid('runtime', typed, place, signal);
		const params = {...place, runId: run};
		const body = {execution_id: execution, ...(runtime !== undefined && {runtime_id: runtime})};
		const say = (text: string) => interact.say(nameCommands(text, live ? 'app' : 'shell'));
		const claimed = client.claimRun({params, body}, signal);
		return claimResult(await withSameAttempt(claimed, {run, runtime, execution}, {signal, say}));
	},
});

export default noun({name: 'run', summary: 'Runs of workflows', verbs: [list, items, claim]});
