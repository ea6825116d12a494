import {sql} from 'kysely';
import {formatBytes} from '../../core/format.ts';
import type {Queries} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';

/** The default storage limit of an organization, in bytes. */
export const defaultStorageLimit = 10_000_000_000;

type Claim = {
	readonly organizationId: string;
	readonly bytes: number;
	/** The server's own limit, for organizations that have none. */
	readonly limit: number;
	/** Ends the request if the bytes would exceed the limit that counts. */
	readonly refuse: (limit: number, bytes: number) => never;
};

/** The limit of an organization, which its administrator may have set. */
const ownLimit = (organizationId: string, limit: number) =>
	sql<number>`coalesce((select storage_bytes_max from organizations where id = ${organizationId}), cast(${limit} as bigint))`;

/**
 * Counts bytes that an organization is about to store, so that one organization can't fill the disk of all. Refuses them if
 * they would exceed the limit, and then counts none of them. Zero bytes are always accepted: stored data may be sent again,
 * even after the limit was lowered.
 */
export async function claimBytes(queries: Queries, {organizationId, bytes, limit, refuse}: Claim): Promise<void> {
	if (bytes === 0) {
		return;
	}

	const own = ownLimit(organizationId, limit);
	const count = sql`cast(${bytes} as bigint)`;
	const {rows} = await sql`insert into stored_bytes (organization_id, bytes)
		select ${organizationId}, ${count} where ${count} <= ${own}
		on conflict (organization_id) do update set bytes = stored_bytes.bytes + excluded.bytes
		where stored_bytes.bytes + excluded.bytes <= ${own}
		returning organization_id`.execute(queries);
	if (rows.length === 0) {
		refuse((await readStorage(queries, organizationId, limit)).limit, bytes);
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

/** Returns how many bytes an organization has stored, and how many it may. `limit` is the server's own. */
export async function readStorage(
	queries: Queries,
	organizationId: string,
	limit: number,
): Promise<{readonly stored: number; readonly limit: number}> {
	const {rows} = await sql<{
		stored: number | string;
		own: number | string;
	}>`select ${ownLimit(organizationId, limit)} as own,
		coalesce((select bytes from stored_bytes where organization_id = ${organizationId}), 0) as stored`.execute(queries);
	const [row] = rows;
	return {stored: Number(row?.stored ?? 0), limit: Number(row?.own ?? limit)};
}

const fullDetail = (limit: number) =>
	`The organization may store ${formatBytes(limit)} of spans and artifacts, and this would exceed it. Ask the server’s administrator for more.`;

/** How long exporters wait before they send spans again, in seconds. */
const retryAfterSeconds = 60;

/**
 * Rejects spans because the organization's storage is full: with 429, which exporters retry, so that no trace is lost while
 * someone makes room (OTLP 1.9, “OTLP/HTTP Throttling”). Spans that would never fit get 400, which exporters drop.
 */
export function rejectSpans(limit: number, bytes: number): never {
	if (bytes > limit) {
		reject(400, `${fullDetail(limit)} No room would be enough for this request.`);
	}

	rejectForNow(limit);
}

/**
 * Rejects an artifact because the organization's storage is full: with 429, as spans, so that its program tries again. One that
 * would never fit gets 409.
 */
export function rejectArtifact(limit: number, bytes: number): never {
	if (bytes > limit) {
		reject(409, `${fullDetail(limit)} No room would be enough for this artifact.`, {
			type: 'usage_limit_exceeded_error',
		});
	}

	rejectForNow(limit);
}

function rejectForNow(limit: number): never {
	reject(429, `${fullDetail(limit)} Send it again in ${retryAfterSeconds} s.`, {
		type: 'usage_limit_exceeded_error',
		headers: {'retry-after': String(retryAfterSeconds)},
	});
}
