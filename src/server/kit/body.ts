import {entryOf} from '../../core/entry-of.ts';
import {isDeeper, type Json, parseJson} from '../../core/json.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {reject} from './http-error.ts';

/** Limits of a JSON body: its size and its nesting depth (SAFETY 21, 24). */
const maxJsonBytes = 8 * 1024 * 1024;
const maxDepth = 100;

/** Other names of a media type. No form of a page can send them. */
const otherNames: Readonly<Record<string, string>> = {
	'application/protobuf': 'application/x-protobuf',
	'application/vnd.google.protobuf': 'application/x-protobuf',
};

/**
 * Returns the media type of a body in lower case without parameters, by the name that operations have for it; undefined if
 * the request has none.
 */
export function mediaTypeOf({headers}: Request): string | undefined {
	const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
	return type === undefined ? undefined : (entryOf(otherNames, type) ?? type);
}

/**
 * Yields the bytes of a request's body as they arrive. Rejects with 400 a body larger than `maxBytes`, as early as
 * possible, and an incomplete one: the client cut it off, so it's not a server error.
 */
export async function* streamBody(request: Request, maxBytes: number): AsyncGenerator<Uint8Array, undefined> {
	if (Number(request.headers.get('content-length') ?? 0) > maxBytes) {
		reject(400, `The body is larger than ${maxBytes} bytes.`);
	}

	let size = 0;
	for await (const chunk of chunksOf(request)) {
		size += chunk.length;
		if (size > maxBytes) {
			reject(400, `The body is larger than ${maxBytes} bytes.`);
		}

		yield chunk;
	}
}

async function* chunksOf({body, signal}: Request): AsyncGenerator<Uint8Array, undefined> {
	try {
		yield* body ?? [];
	} catch (error) {
		if (signal.aborted || errnoOf(error) === 'ECONNRESET') {
			reject(400, 'The body is incomplete.');
		}

		throw error;
	}
}

/** Returns the whole body of a request. Rejects as `streamBody` does. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of streamBody(request, maxBytes)) {
		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

/**
 * Returns the JSON body of a request. Rejects with 400 a body that is not UTF-8 JSON, compressed, too large or nested
 * too deep. `absent` stands for a body without any bytes; by default that is no JSON.
 */
export async function readJsonBody(request: Request, absent?: Json): Promise<Json> {
	const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
	if (encoding !== 'identity') {
		reject(400, 'Send the body as it is, without Content-Encoding.');
	}

	const bytes = await readBody(request, maxJsonBytes);
	const json = bytes.length === 0 && absent !== undefined ? absent : parseJson(textOf(bytes) ?? '');
	if (json === undefined) {
		reject(400, 'The body is not JSON.');
	}

	if (isDeeper(json, maxDepth)) {
		reject(400, `The body is nested deeper than ${maxDepth} levels.`);
	}

	return json;
}

/** Decodes UTF-8 without its byte order mark. Returns undefined for invalid bytes instead of replacing them. */
function textOf(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
	} catch {
		return undefined;
	}
}
