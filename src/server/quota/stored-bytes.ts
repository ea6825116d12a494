import {formatBytes} from '../../core/format.ts';
import type {Queries} from '../database/tables.ts';
import {refuse} from '../kit/refusal.ts';

/** The default maximum of bytes of spans and artifacts of an organization. */
export const usualStorageLimit = 10_000_000_000;

type Claim = {readonly organizationId: string; readonly bytes: number; readonly limit: number};

/**
 * Counts bytes that an organization is about to store, so that one of them cannot fill the disk of all. Refuses (409,
 * `usage_limit_exceeded_error`) where they would be more than it may have, and counts none of them then. Nothing is always
 * taken: what is there already may be sent again, also where the limit is less now than what is stored.
 */
export async function claimBytes(queries: Queries, {organizationId, bytes, limit}: Claim): Promise<void> {
	if (bytes === 0) {
		return;
	}

	if (bytes > limit) {
		refuseFull(limit);
	}

	const {numInsertedOrUpdatedRows} = await queries
		.insertInto('stored_bytes')
		.values({organization_id: organizationId, bytes})
		.onConflict(conflict =>
			conflict
				.column('organization_id')
				.doUpdateSet(({eb}) => ({bytes: eb('stored_bytes.bytes', '+', bytes)}))
				.where('stored_bytes.bytes', '<=', limit - bytes),
		)
		.executeTakeFirstOrThrow();
	if (numInsertedOrUpdatedRows !== 1n) {
		refuseFull(limit);
	}
}

/** Releases bytes that were claimed and not stored. */
export async function releaseBytes(queries: Queries, organizationId: string, bytes: number): Promise<void> {
	await queries
		.updateTable('stored_bytes')
		.set(({eb}) => ({bytes: eb('bytes', '-', bytes)}))
		.where('organization_id', '=', organizationId)
		.execute();
}

/** How much an organization has stored. */
export async function readStoredBytes(queries: Queries, organizationId: string): Promise<number> {
	const row = await queries
		.selectFrom('stored_bytes')
		.select('bytes')
		.where('organization_id', '=', organizationId)
		.executeTakeFirst();
	return row?.bytes ?? 0;
}

/** Refuses (409) because an organization has no room. */
export function refuseFull(limit: number): never {
	refuse(
		409,
		`The organization may store ${formatBytes(limit)} of spans and artifacts, and this would exceed it. Ask the server’s administrator for more.`,
		{type: 'usage_limit_exceeded_error'},
	);
}
