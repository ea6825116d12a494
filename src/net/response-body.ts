import type {Readable} from 'node:stream';
import {AppError} from '../core/error.ts';
import {type Exchange, explainFailure} from './network-error.ts';
import {createReadPace} from './read-pace.ts';

/**
 * Returns the decompressed body of a response, which can be read once. A failure throws what `explainFailure` returns, and
 * ending the iteration early closes the connection. Throws AppError("network") for a compression that wasn't requested.
 */
export async function readableBody(
	raw: Readable,
	encoding: string,
	exchange: Exchange,
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
					yield chunk;
					if (waitMs > 0) {
						await new Promise(resolve => setTimeout(resolve, waitMs));
					}
				}
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
