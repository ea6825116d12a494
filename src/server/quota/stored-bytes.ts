import {formatBytes} from '../../core/format.ts';
import type {Queries} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';

/** The default storage limit of an organization, in bytes. */
export const defaultStorageLimit = 10_000_000_000;

type Claim = {readonly organizationId: string; readonly bytes: number; readonly limit: number};

/**
 * Counts bytes that an organization is about to store, so that one organization can't fill the disk of all. Rejects
 * with 409 (`usage_limit_exceeded_error`) if they would exceed the limit, and then counts none of them. Zero bytes are
 * always accepted: stored data may be sent again, even after the limit was lowered.
 */
export async function claimBytes(queries: Queries, {organizationId, bytes, limit}: Claim): Promise<void> {
	if (bytes === 0) {
		return;
	}

	if (bytes > limit) {
		rejectFull(limit);
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
		rejectFull(limit);
	}
}

/** Releases bytes that were claimed but not stored. */
export async function releaseBytes(queries: Queries, organizationId: string, bytes: number): Promise<void> {
	await queries
		.updateTable('stored_bytes')
		.set(({eb}) => ({bytes: eb('bytes', '-', bytes)}))
		.where('organization_id', '=', organizationId)
		.execute();
}

/** Returns how many bytes an organization has stored. */
export async function readStoredBytes(queries: Queries, organizationId: string): Promise<number> {
	const row = await queries
		.selectFrom('stored_bytes')
		.select('bytes')
		.where('organization_id', '=', organizationId)
		.executeTakeFirst();
	return row?.bytes ?? 0;
}

/** Rejects with 409 because the organization's storage is full. */
export function rejectFull(limit: number): never {
	reject(
		409,
		`The organization may store ${formatBytes(limit)} of spans and artifacts, and this would exceed it. Ask the server’s administrator for more.`,
		{type: 'usage_limit_exceeded_error'},
	);
}
