import type {Queries} from './database/tables.ts';

/** Most runs that one query names. */
const mostNamed = 500;

/** The execution that owns each of these runs of a workspace; a run that nobody has claimed is not in it. */
export async function loadOwners(
	queries: Queries,
	workspaceId: string,
	runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const owners = new Map<string, string>();
	for (let from = 0; from < runIds.length; from += mostNamed) {
		const rows = await queries
			.selectFrom('workflow_runs')
			.select(['id', 'execution_id'])
			.where('workspace_id', '=', workspaceId)
			.where('id', 'in', runIds.slice(from, from + mostNamed))
			.where('execution_id', 'is not', null)
			.execute();
		for (const {id, execution_id} of rows) {
			owners.set(id, execution_id ?? '');
		}
	}

	return owners;
}

/**
 * Whether a write to a run must be refused: it comes of an execution that has lost the run to another one. A write that
 * names no execution is not a host's, and passes; so does every write to a run that nobody has claimed.
 */
export function isFencedOff(owner: string | undefined, executionId: string | undefined): boolean {
	return owner !== undefined && executionId !== undefined && owner !== executionId;
}
