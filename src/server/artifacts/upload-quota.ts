import {claimBytes, readStoredBytes, rejectFull, releaseBytes} from '../quota/stored-bytes.ts';
import type {ArtifactServices} from './artifact-services.ts';
import type {Blobs} from './blobs.ts';

type Upload = {
	readonly organizationId: string;
	/** The announced size; undefined if the client announces none. */
	readonly announcedBytes: number | undefined;
	readonly chunks: AsyncIterable<Uint8Array>;
};

/** Stores an upload within the storage limit of its organization. Rejects (409) as soon as it can't fit. */
export type UploadQuota = (
	upload: Upload,
	put: (chunks: AsyncIterable<Uint8Array>) => ReturnType<Blobs['put']>,
) => ReturnType<Blobs['put']>;

type Quota = {
	readonly database: ArtifactServices['database'];
	readonly limit: number;
	/** Bytes that uploads in progress have reserved, by organization. */
	readonly reserved: Map<string, number>;
};

/** The state of one upload: bytes it has reserved, and bytes it has claimed in the database but not stored. */
type Progress = {readonly organizationId: string; reserved: number; claimed: number};

/** How many bytes are reserved at a time for an upload without an announced size. */
const reservationBytes = 4 * 1024 * 1024;

/**
 * Creates a quota that reserves bytes for uploads in the memory of this process, and claims them in the database once
 * they have arrived. An upload that is cut off, by its client or by a crash of the server, must not stay counted.
 */
export function createUploadQuota({
	database,
	storageLimit: limit,
}: Pick<ArtifactServices, 'database' | 'storageLimit'>): UploadQuota {
	const quota: Quota = {database, limit, reserved: new Map()};
	return async ({organizationId, announcedBytes, chunks}, put) => {
		const progress: Progress = {organizationId, reserved: 0, claimed: 0};
		try {
			if (announcedBytes !== undefined) {
				await reserve(quota, progress, {required: announcedBytes, wanted: announcedBytes});
			}

			const outcome = await put(meter(quota, progress, chunks));
			if (outcome === 'stored') {
				progress.claimed = 0;
			}

			return outcome;
		} finally {
			release(quota, progress);
			if (progress.claimed > 0) {
				await releaseBytes(database, organizationId, progress.claimed);
			}
		}
	};
}

/** Passes an upload's chunks on, reserving bytes as they arrive, and claims them at the end. */
async function* meter(quota: Quota, progress: Progress, chunks: AsyncIterable<Uint8Array>) {
	let received = 0;
	for await (const chunk of chunks) {
		received += chunk.length;
		const required = received - progress.reserved;
		if (required > 0) {
			await reserve(quota, progress, {required, wanted: Math.max(reservationBytes, required)});
		}

		yield chunk;
	}

	release(quota, progress);
	await claimBytes(quota.database, {
		organizationId: progress.organizationId,
		bytes: received,
		limit: quota.limit,
	});
	progress.claimed = received;
}

/** Reserves the wanted bytes, or as many as fit. Rejects (409) if the required ones don't. */
async function reserve(
	{database, limit, reserved}: Quota,
	progress: Progress,
	{required, wanted}: {readonly required: number; readonly wanted: number},
): Promise<void> {
	const {organizationId} = progress;
	const stored = await readStoredBytes(database, organizationId);
	// Nothing is awaited from here on, so that concurrent uploads see each other's reservations.
	const total = reserved.get(organizationId) ?? 0;
	const free = limit - stored - total;
	if (required > free) {
		rejectFull(limit);
	}

	const bytes = Math.min(wanted, free);
	reserved.set(organizationId, total + bytes);
	progress.reserved += bytes;
}

/** Releases everything that an upload has reserved. */
function release({reserved}: Quota, progress: Progress): void {
	const rest = (reserved.get(progress.organizationId) ?? 0) - progress.reserved;
	progress.reserved = 0;
	if (rest > 0) {
		reserved.set(progress.organizationId, rest);
	} else {
		reserved.delete(progress.organizationId);
	}
}
