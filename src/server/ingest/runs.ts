import {groupBy} from '../../core/group-by.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {maxTitleLength, textAt, wordAt} from './read-attributes.ts';
import type {SpanSender} from './sessions.ts';
import {type Touched, toTime} from './store-spans.ts';

/** States of a run in order; a run never goes back. */
const states = ['pending', 'running', 'completed', 'failed'] as const;

/** Writes the workflow runs that spans belong to. The caller must have locked the workspace. */
export async function deriveRuns(
	transaction: DatabaseTransaction,
	{organizationId, workspaceId, projectId}: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	for (const [id, spans] of groupBy(touched, each => each.workflow_run_id)) {
		const row = await transaction
			.selectFrom('workflow_runs')
			.selectAll()
			.where('id', '=', id)
			.where('workspace_id', '=', workspaceId)
			.executeTakeFirst();
		const [started = ''] = spans.map(({span}) => toTime(span.startedAt)).sort();
		const ended = spans
			.map(({span}) => toTime(span.endedAt))
			.sort()
			.at(-1);
		const titles = spans.flatMap(
			({span}) => textAt(span.attributes, 'service.workflow.run.title')?.slice(0, maxTitleLength) ?? [],
		);
		const reached = spans.map(stateOf).concat(row?.status ?? 'pending');
		const values = {
			title: [...titles, ...(row?.title ? [row.title] : [])].sort().at(-1) ?? null,
			status: states.findLast(state => reached.includes(state)) ?? 'pending',
			created_at: [started, row?.created_at ?? started].sort()[0] ?? started,
			updated_at: [ended ?? started, row?.updated_at ?? started].sort()[1] ?? started,
		};
		if (row) {
			await transaction.updateTable('workflow_runs').set(values).where('id', '=', id).execute();
		} else {
			await transaction
				.insertInto('workflow_runs')
				.values({
					id,
					organization_id: organizationId,
					workspace_id: workspaceId,
					project_id: projectId,
					execution_id: null,
					runtime_id: null,
					claimed_by: null,
					claimed_at: null,
					...values,
				})
				.execute();
		}
	}
}

/**
 * Returns the state of the run according to a span: the one it names, else `running`. The run's own span shows how it
 * ended.
 */
function stateOf({span, type}: Touched): (typeof states)[number] {
	const named = wordAt(span.attributes, 'service.workflow.run.status', states);
	if (named !== undefined || type !== 'workflow_run') {
		return named ?? 'running';
	}

	return span.statusCode === 2 ? 'failed' : 'completed';
}
