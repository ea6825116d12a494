import {claimBytes, readStoredBytes, refuseFull, releaseBytes} from '../quota/stored-bytes.ts';
import type {ArtifactServices} from './artifact-services.ts';
import type {Blobs} from './blobs.ts';

type Upload = {
	readonly organizationId: string;
	/** How many bytes will come, where their sender says it. */
	readonly said: number | undefined;
	readonly chunks: AsyncIterable<Uint8Array>;
};

/** Stores bytes that come within the room of an organization. Refuses (409) what it has no room for, as soon as that is known. */
export type UploadRoom = (
	upload: Upload,
	put: (chunks: AsyncIterable<Uint8Array>) => ReturnType<Blobs['put']>,
) => ReturnType<Blobs['put']>;

/** How many bytes are held at a time where a sender does not say how many will come. */
const step = 4 * 1024 * 1024;

/**
 * Holds room for uploads while they come, in the memory of this process, and counts them when they have come: one that is
 * cut off, with its client or with the whole server, must not stay counted.
 */
export function createUploadRoom({
	database,
	storageLimit: limit,
}: Pick<ArtifactServices, 'database' | 'storageLimit'>): UploadRoom {
	const held = new Map<string, number>();
	return async ({organizationId, said, chunks}, put) => {
		let own = 0;
		const hold = async (least: number, wanted: number) => {
			const stored = await readStoredBytes(database, organizationId);
			// Nothing is awaited from here on: of several uploads each sees what the others hold.
			const others = held.get(organizationId) ?? 0;
			const room = limit - stored - others;
			if (least > room) {
				refuseFull(limit);
			}

			const bytes = Math.min(wanted, room);
			held.set(organizationId, others + bytes);
			own += bytes;
		};
		const letGo = () => {
			const rest = (held.get(organizationId) ?? 0) - own;
			own = 0;
			if (rest > 0) {
				held.set(organizationId, rest);
			} else {
				held.delete(organizationId);
			}
		};
		let counted = 0;
		async function* counting() {
			let sent = 0;
			for await (const chunk of chunks) {
				sent += chunk.length;
				if (sent > own) {
					await hold(sent - own, Math.max(step, sent - own));
				}

				yield chunk;
			}

			letGo();
			await claimBytes(database, {organizationId, bytes: sent, limit});
			counted = sent;
		}

		try {
			if (said !== undefined) {
				await hold(said, said);
			}

			const outcome = await put(counting());
			counted = outcome === 'stored' ? 0 : counted;
			return outcome;
		} finally {
			letGo();
			if (counted > 0) {
				await releaseBytes(database, organizationId, counted);
			}
		}
	};
}
