import {isDeeper, type Json, parseJson} from '../core/json.ts';
import {refusal} from './refusal.ts';

/** Most bytes of a request's body, and levels of nesting in it (SAFETY 21, 24). */
const largestBody = 8 * 1024 * 1024;
const deepest = 100;

/** The JSON body of a request, or the response that refuses it: 400 for what is no JSON, 413 for too much. */
export async function readJsonBody(request: Request, url: URL): Promise<{readonly json: Json} | Response> {
	const tooLarge = () => refusal(url, 413, `The body is larger than ${largestBody} bytes.`);
	if (Number(request.headers.get('content-length') ?? 0) > largestBody) {
		return tooLarge();
	}

	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body ?? []) {
		size += chunk.length;
		if (size > largestBody) {
			return tooLarge();
		}

		chunks.push(chunk);
	}

	const json = parseJson(Buffer.concat(chunks).toString('utf8'));
	if (json === undefined) {
		return refusal(url, 400, 'The body is not JSON.');
	}

	return isDeeper(json, deepest) ? refusal(url, 400, `The body is nested deeper than ${deepest} levels.`) : {json};
}
