import {promisify} from 'node:util';
import {gunzip, inflate, inflateRaw} from 'node:zlib';
import {entryOf} from '../../../core/entry-of.ts';
import {reject} from '../../kit/http-error.ts';
import {limits} from './budget.ts';
import {readJson} from './read-json.ts';
import {readProtobuf} from './read-protobuf.ts';
import {readSpans} from './read-spans.ts';
import type {DecodedSpans} from './span.ts';

/** The two encodings of OTLP/HTTP. */
export type OtlpEncoding = 'json' | 'protobuf';

const encodings: Readonly<Record<string, OtlpEncoding>> = {
	'application/json': 'json',
	'application/x-protobuf': 'protobuf',
};

/** Returns the encoding that a `Content-Type` names. Rejects (400) any other. */
export function encodingOf(contentType: string): OtlpEncoding {
	const [type = ''] = contentType.split(';');
	return (
		entryOf(encodings, type.trim().toLowerCase()) ??
		reject(400, 'Send traces as application/x-protobuf or application/json.')
	);
}

type Headers = {
	readonly contentType: string;
	readonly contentEncoding?: string;
};

/**
 * Reads the spans of an OTLP/HTTP request (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Rejects with 400 a body
 * that is invalid, too large before or after decompression, or of another type or compression. Throws nothing else.
 */
export async function decodeTraces(
	body: Uint8Array,
	{contentType, contentEncoding = ''}: Headers,
): Promise<DecodedSpans> {
	const encoding = encodingOf(contentType);
	const bytes = await decompress(body, contentEncoding.trim().toLowerCase());
	if (encoding === 'protobuf') {
		return readSpans(readProtobuf(bytes));
	}

	const {request, unknown} = readJson(bytes);
	return readSpans(request, unknown);
}

const unzip = promisify(gunzip);

/** `deflate` is zlib's format (RFC 9110, section 8.4.1.2), but some programs send what is inside of it. */
const decompressors: Readonly<Record<string, (body: Uint8Array, limit: {maxOutputLength: number}) => Promise<Buffer>>> =
	{
		gzip: unzip,
		'x-gzip': unzip,
		deflate: (body, limit) => promisify(hasZlibHeader(body) ? inflate : inflateRaw)(body, limit),
	};

/** RFC 1950, section 2.2: method 8, and a sum that 31 divides. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
	return first % 16 === 8 && (first * 256 + second) % 31 === 0;
}

async function decompress(body: Uint8Array, contentEncoding: string): Promise<Uint8Array> {
	if (body.length > limits.compressed) {
		return reject(400, `The body is larger than ${limits.compressed} bytes.`);
	}

	if (contentEncoding === '' || contentEncoding === 'identity') {
		return body;
	}

	const decompressor = entryOf(decompressors, contentEncoding);
	if (!decompressor) {
		return reject(400, `The body may be compressed with gzip or deflate, not with “${contentEncoding}”.`, {
			headers: {'accept-encoding': 'gzip, deflate'},
		});
	}

	try {
		return await decompressor(body, {maxOutputLength: limits.body});
	} catch (error) {
		return isTooLarge(error)
			? reject(400, `The body is larger than ${limits.body} bytes when it is decompressed.`)
			: reject(400, `The body is not ${contentEncoding}, or it was cut off.`);
	}
}

function isTooLarge(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
