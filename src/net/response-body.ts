import type {Readable} from 'node:stream';
import {AppError} from '../core/error.ts';
import type {BytesMask} from './mask-secret.ts';
import {type Exchange, explainFailure} from './network-error.ts';

/**
 * Returns the decompressed body of a response, which can be read once. A failure throws what `explainFailure` returns, and
 * ending the iteration early closes the connection. What `mask`
 * masks never leaves it. Throws AppError("network") for a compression that wasn't requested.
 */
export async function readableBody(
	raw: Readable,
	encoding: string,
	exchange: Exchange,
	mask?: BytesMask,
): Promise<AsyncIterable<Uint8Array>> {
	const stream = await decompress(raw, encoding.trim().toLowerCase(), exchange);
	// Without a listener, a connection that breaks before the body is read would end the process.
	stream.on('error', () => undefined);
	return {
		async *[Symbol.asyncIterator]() {
			const pace = createReadPace();
			try {
				for await (const chunk of stream as AsyncIterable<Uint8Array>) {
					const waitMs = pace(chunk.length);
					for (const piece of mask?.mask(chunk) ?? [chunk]) {
						yield piece;
					}

					if (waitMs > 0) {
						await new Promise(resolve => setTimeout(resolve, waitMs));
					}
				}

				yield* mask?.end() ?? [];
			} catch (error) {
				throw explainFailure(error, exchange);
			} finally {
				stream.destroy();
				raw.destroy();
			}
		},
	};
}

async function decompress(raw: Readable, encoding: string, {origin}: Exchange): Promise<Readable> {
	if (encoding === '' || encoding === 'identity') {
		return raw;
	}

	const [{pipeline}, {constants, createBrotliDecompress, createGunzip}] = await Promise.all([
		import('node:stream'),
		import('node:zlib'),
	]);
	const decoder =
		encoding === 'gzip' || encoding === 'x-gzip'
			? createGunzip()
			: encoding === 'br'
				? createBrotliDecompress({flush: constants.BROTLI_OPERATION_FLUSH})
				: undefined;
	if (!decoder) {
		raw.on('error', () => undefined).destroy();
		throw new AppError('network', `${origin} used a compression that wasn't requested.`, {
			hint: 'Check the address, and whether a proxy changes responses.',
			permanent: true,
		});
	}

	return pipeline(raw, decoder, () => undefined);
}

/** How often a body of small pieces is read: as often as the screen draws. */
const intervalMs = 33;
/** A body that has more for a read comes in pieces of at least this, which wait for nothing; zlib's are never larger. */
const largeBytes = 16 * 1024;
/** A short answer is over before its pace is known. */
const minQuickReads = 8;

/**
 * Returns a function that gets the bytes of each read when it has come, and returns how many milliseconds to wait before the
 * next read. A body that comes in many small pieces is read at intervals: each read, with all that follows from it, costs the
 * same for one token as for those of a whole interval.
 */
export function createReadPace(now: () => number = () => performance.now()): (bytes: number) => number {
	let quick = 0;
	let askedAt = now();
	return bytes => {
		const at = now();
		quick = bytes < largeBytes && at - askedAt < intervalMs ? quick + 1 : 0;
		const waitMs = quick < minQuickReads ? 0 : intervalMs;
		askedAt = at + waitMs;
		return waitMs;
	};
}
