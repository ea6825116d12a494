import {randomUUID} from 'node:crypto';
import type {DatabaseTransaction} from '../database/tables.ts';
import {lockWorkspaces} from '../ingest/target.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {filterProjectId, keptTotal, readLongPage, sortBy} from './page.ts';

export const runHandlers = {
	/** Idempotent: the same attempt by the same user for the same runtime gets the same response. */
	async claimRun({params, body}, {principal: {userId}, scope: {workspace}, services: {database, now}}) {
		const claim = {
			workspaceId: workspace.id,
			runId: params.runId.toLowerCase(),
			executionId: body.execution_id ?? randomUUID(),
			runtimeId: body.runtime_id?.toLowerCase() ?? null,
			userId,
			at: now().toISOString(),
		};
		return await database.transaction().execute(async transaction => {
			// A run's state also comes from spans, and ingesting them must not overwrite a claim.
			await lockWorkspaces(transaction, [workspace.id]);
			const status = await claimOnce(transaction, claim);
			return {execution_id: claim.executionId, run_id: claim.runId, status};
		});
	},

	/** Newest first. Omits `execution_id`: anyone who knows it could write as the run's owner. */
	async listRuns({query}, context) {
		const {scope, services} = context;
		const {database} = services;
		const projectId = filterProjectId(scope, query.project);
		const scopeId = projectId ?? scope.workspace.id;
		return await readLongPage(context, query, {
			matches: [
				database
					.selectFrom('workflow_runs')
					.where(projectId === undefined ? 'workspace_id' : 'project_id', '=', scopeId),
			],
			count: keptTotal(database, {list: 'workflow_runs', scopeId}),
			order: [sortBy('workflow_runs.created_at', 'desc'), sortBy('workflow_runs.id')],
			rowsOf: ids =>
				database
					.selectFrom('workflow_runs')
					.innerJoin('projects', 'projects.id', 'workflow_runs.project_id')
					.select([
						'workflow_runs.id',
						'title',
						'status',
						'project_id',
						'projects.slug as project_key',
						'runtime_id',
						'claimed_by',
						'claimed_at',
						'workflow_runs.created_at',
						'updated_at',
					])
					.where('workflow_runs.id', 'in', ids),
		});
	},
} satisfies Partial<Handlers>;

type Claim = {
	readonly workspaceId: string;
	readonly runId: string;
	readonly executionId: string;
	readonly runtimeId: string | null;
	readonly userId: string;
	readonly at: string;
};

/** Claims a pending run for this attempt and returns its status. Rejects if another attempt has claimed it. */
async function claimOnce(transaction: DatabaseTransaction, claim: Claim): Promise<string> {
	const {workspaceId, runId, executionId, runtimeId, userId, at} = claim;
	if (runtimeId !== null && !(await ownsRuntime(transaction, claim))) {
		rejectNotFound();
	}

	const claimed = await transaction
		.updateTable('workflow_runs')
		.set({
			status: 'running',
			execution_id: executionId,
			runtime_id: runtimeId,
			claimed_by: userId,
			claimed_at: at,
			updated_at: at,
		})
		.where('id', '=', runId)
		.where('workspace_id', '=', workspaceId)
		.where('status', '=', 'pending')
		.returning('status')
		.executeTakeFirst();
	if (claimed) {
		return claimed.status;
	}

	const run = await transaction
		.selectFrom('workflow_runs')
		.select(['status', 'execution_id', 'runtime_id', 'claimed_by'])
		.where('id', '=', runId)
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst();
	if (!run) {
		rejectNotFound();
	}

	if (run.execution_id === executionId && run.runtime_id === runtimeId && run.claimed_by === userId) {
		return run.status;
	}

	return reject(
		409,
		run.execution_id === null
			? `The run is already ${run.status}; only a pending run can be claimed.`
			: 'Another attempt has claimed the run.',
	);
}

async function ownsRuntime(transaction: DatabaseTransaction, {workspaceId, runtimeId, userId}: Claim) {
	const found = await transaction
		.selectFrom('runtimes')
		.select('id')
		.where('id', '=', runtimeId)
		.where('workspace_id', '=', workspaceId)
		.where('created_by', '=', userId)
		.executeTakeFirst();
	return found !== undefined;
}
