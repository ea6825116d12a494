import {derivedId} from '../../core/derived-id.ts';
import {isUuid} from '../../core/uuid.ts';
import type {DatabaseTransaction} from '../database/tables.ts';

/**
 * Returns the ids of things that spans name in a workspace. A UUID is used as it is, unless another workspace has it;
 * any other name gives a derived id. So no one can claim or change another workspace's things by naming them.
 */
export async function ownIds(
	transaction: DatabaseTransaction,
	table: 'sessions' | 'assessments' | 'workflow_runs' | 'items',
	workspaceId: string,
	names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const given = [...new Set(names)];
	const uuids = given.map(name => name.toLowerCase()).filter(isUuid);
	const taken = new Set<string>();
	for (const some of chunks(uuids)) {
		const rows = await transaction
			.selectFrom(table)
			.select('id')
			.where('id', 'in', some)
			.where('workspace_id', '!=', workspaceId)
			.execute();
		for (const {id} of rows) {
			taken.add(id);
		}
	}

	return new Map(
		given.map(name => {
			const id = name.toLowerCase();
			return [name, isUuid(id) && !taken.has(id) ? id : derivedId(table, workspaceId, name)];
		}),
	);
}

/** Another workspace took a UUID after `ownIds` had checked it. The transaction must be retried. */
export class IdTaken extends Error {
	override readonly name = 'IdTaken';
}

/** Splits a list into chunks that fit into one query, because engines limit the number of parameters. */
export function chunks<Item>(items: readonly Item[], size = 500): readonly (readonly Item[])[] {
	return Array.from({length: Math.ceil(items.length / size)}, (_, index) =>
		items.slice(index * size, (index + 1) * size),
	);
}
