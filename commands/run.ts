import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {countArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {pageFlags, pageHelp} from '../src/command/paging.ts';
import {listQuery, platformList} from '../src/command/views/platform-list.ts';
import {claimResult, withSameAttempt} from '../src/command/views/run-claim-view.ts';
import {runItemsResult} from '../src/command/views/run-items-view.ts';
import {AppError} from '../src/core/error.ts';

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

	async run({run, type, limit}, {platform, flags, signal}) {
		const {client, scope, projectId} = await platform.open();
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
			// The items are what was asked for; how they are called is a comfort.
			if (error instanceof AppError) {
				return runItemsResult(found, {schemas: [], limit, trouble: error.message});
			}

			throw error;
		}
	},
});

const list = command({
	name: 'list',
	summary: 'List the workflow runs of the workspace, newest first',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['run list', 'run list --project web'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const {client, scope} = session;
		const call = {params: await scope('org', 'workspace'), query: listQuery(flags, context.flags)};
		return await platformList(context, session, client.listRuns(call, context.signal), {
			name: 'runs',
			kind: 'run',
			line: 'run list',
			columns: ['id', 'status', 'title', 'project_key', 'created_at', 'claimed_at'],
			empty: 'No runs yet. Push traces that name one: `trace push <file>`',
			opens: {words: ['run', 'items'], by: 'id'},
			flags,
		});
	},
});

const claim = command({
	name: 'claim',
	summary: 'Claim a pending run for this host',
	args: z.object({run: z.string(), runtime: z.optional(z.string()), execution: z.optional(z.string())}),
	positional: ['run'],
	describe: {
		run: 'its id or a unique prefix',
		runtime: 'UUID of the runtime that claims it',
		execution: 'UUID of an earlier attempt, to repeat it',
	},
	completes: {run: 'run', runtime: 'runtime'},
	examples: ['run claim 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
	whileRunning: true,

	async run({run, runtime, execution = randomUUID()}, {platform, signal}) {
		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), runId: run};
		const body = {execution_id: execution, ...(runtime !== undefined && {runtime_id: runtime})};
		return claimResult(await withSameAttempt(client.claimRun({params, body}, signal), {run, runtime, execution}));
	},
});

export default noun({name: 'run', summary: 'Runs of workflows', verbs: [list, items, claim]});
