import {isDeeper, type Json, parseJson} from '../../core/json.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {refuse} from './refusal.ts';

/** Most bytes of a JSON body, and levels of nesting in it (SAFETY 21, 24). */
const largestJson = 8 * 1024 * 1024;
const deepest = 100;

/** The media type of a body in lower case, without its parameters; undefined where the request names none. */
export function mediaTypeOf({headers}: Request): string | undefined {
	return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/**
 * The bytes of a request's body as they come. Refuses with 400 what is larger than `most`, as early as it can be known,
 * and what its sender cut short, which is his fault and not that of the server.
 */
export async function* bytesOf(request: Request, most: number): AsyncGenerator<Uint8Array, undefined> {
	if (Number(request.headers.get('content-length') ?? 0) > most) {
		refuse(400, `The body is larger than ${most} bytes.`);
	}

	let size = 0;
	for await (const chunk of chunksOf(request)) {
		size += chunk.length;
		if (size > most) {
			refuse(400, `The body is larger than ${most} bytes.`);
		}

		yield chunk;
	}
}

async function* chunksOf({body, signal}: Request): AsyncGenerator<Uint8Array, undefined> {
	try {
		yield* body ?? [];
	} catch (error) {
		if (signal.aborted || errnoOf(error) === 'ECONNRESET') {
			refuse(400, 'The body is incomplete.');
		}

		throw error;
	}
}

/** All bytes of a request's body. Refuses as `bytesOf` does. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of bytesOf(request, most)) {
		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

/** The JSON body of a request. Refuses with 400 what is no JSON in UTF-8, compressed, too large or too deep. */
export async function readJsonBody(request: Request): Promise<Json> {
	const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
	if (encoding !== 'identity') {
		refuse(400, 'Send the body as it is, without Content-Encoding.');
	}

	const json = parseJson(textOf(await readBytes(request, largestJson)) ?? '');
	if (json === undefined) {
		refuse(400, 'The body is not JSON.');
	}

	if (isDeeper(json, deepest)) {
		refuse(400, `The body is nested deeper than ${deepest} levels.`);
	}

	return json;
}

/** Text in UTF-8, without the mark that may begin it; undefined for other bytes, which would become text that nobody wrote. */
export function textOf(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
	} catch {
		return undefined;
	}
}
