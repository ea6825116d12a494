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
			const reads = createReads(stream);
			try {
				for (let bytes = await reads.next(); bytes; bytes = await reads.next()) {
					const waitMs = pace(bytes.length);
					yield* mask?.mask(bytes) ?? [bytes];
					await reads.rest(waitMs);
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

/** What comes while nobody reads, up to this, is one read. */
const maxHeldBytes = 64 * 1024;

/** Reads of a body, each of all that has come. */
type Reads = {
	/** Returns the next bytes as soon as there are some; undefined at the end. Throws what broke the body, after its last bytes. */
	readonly next: () => Promise<Uint8Array | undefined>;
	/** Waits for so long, but not beyond the end of the body: its last bytes wait for nothing. */
	readonly rest: (waitMs: number) => Promise<void>;
};

/** Reads a stream, whose `next` and `rest` are called in turn. */
export function createReads(stream: Readable): Reads {
	let held: Uint8Array[] = [];
	let heldBytes = 0;
	let end: {readonly error?: unknown} | undefined;
	let onBytes = () => {};
	let onEnd = () => {};
	const over = (error?: unknown) => {
		end ??= {error};
		onBytes();
		onEnd();
	};
	stream.on('data', (bytes: Uint8Array) => {
		held.push(bytes);
		heldBytes += bytes.length;
		if (heldBytes >= maxHeldBytes) {
			stream.pause();
		}

		onBytes();
	});
	stream.on('end', over).on('error', over);
	const broke = () => over(Object.assign(new Error('The body broke off.'), {code: 'ERR_STREAM_PREMATURE_CLOSE'}));
	stream.on('close', broke);
	// What happened before is heard of no more.
	if (stream.errored) {
		over(stream.errored);
	} else if (stream.closed) {
		broke();
	}

	return {
		async next() {
			if (held.length === 0 && !end) {
				stream.resume();
				await new Promise<void>(resolve => {
					onBytes = resolve;
				});
			}

			const [first, ...others] = held;
			const bytes = others.length > 0 ? Buffer.concat(held) : first;
			held = [];
			heldBytes = 0;
			if (!bytes && end?.error !== undefined) {
				throw end.error;
			}

			return bytes;
		},
		async rest(waitMs) {
			if (waitMs > 0 && !end) {
				await new Promise<void>(resolve => {
					const timer = setTimeout(resolve, waitMs);
					onEnd = () => {
						clearTimeout(timer);
						resolve();
					};
				});
			}
		},
	};
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
