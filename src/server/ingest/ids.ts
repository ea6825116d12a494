import {createHash} from 'node:crypto';
import {isUuid} from '../../core/uuid.ts';
import type {DatabaseTransaction} from '../database/tables.ts';

/**
 * Returns a UUID derived from words, in the form of version 8 (RFC 9562, section 5.8). The same words always give the
 * same id.
 */
export function derivedId(...words: readonly string[]): string {
	const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex');
	const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

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
