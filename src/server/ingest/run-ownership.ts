import type {Queries} from '../database/tables.ts';

/** The maximum number of ids in one query. */
const maxIds = 500;

/** The user and execution that have claimed a run. */
export type Owner = {readonly executionId: string; readonly userId: string | null};

/** The user and execution that write to a run. */
type Writer = {readonly executionId: string | undefined; readonly userId: string};

/** Returns the owners of a workspace's runs. Unclaimed runs have no entry. */
export async function loadOwners(
	queries: Queries,
	workspaceId: string,
	runIds: readonly string[],
): Promise<ReadonlyMap<string, Owner>> {
	const owners = new Map<string, Owner>();
	for (let from = 0; from < runIds.length; from += maxIds) {
		const rows = await queries
			.selectFrom('workflow_runs')
			.select(['id', 'execution_id', 'claimed_by'])
			.where('workspace_id', '=', workspaceId)
			.where('id', 'in', runIds.slice(from, from + maxIds))
			.where('execution_id', 'is not', null)
			.execute();
		for (const {id, execution_id, claimed_by} of rows) {
			owners.set(id, {executionId: execution_id ?? '', userId: claimed_by});
		}
	}

	return owners;
}

/** Returns the runs of a workspace's items. New items and items without a run have no entry. */
export async function loadRunsOfItems(
	queries: Queries,
	workspaceId: string,
	itemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const runs = new Map<string, string>();
	for (let from = 0; from < itemIds.length; from += maxIds) {
		const rows = await queries
			.selectFrom('items')
			.select(['id', 'workflow_run_id'])
			.where('workspace_id', '=', workspaceId)
			.where('id', 'in', itemIds.slice(from, from + maxIds))
			.where('workflow_run_id', 'is not', null)
			.execute();
		for (const {id, workflow_run_id} of rows) {
			runs.set(id, workflow_run_id ?? '');
		}
	}

	return runs;
}

/**
 * Returns whether a write to a run must be rejected: it names another execution than the one that claimed the run, or
 * it names none and comes from another user. Anyone may write to an unclaimed run.
 */
export function isForeignWrite(owner: Owner | undefined, {executionId, userId}: Writer): boolean {
	return (
		owner !== undefined && (executionId === undefined ? owner.userId !== userId : owner.executionId !== executionId)
	);
}
