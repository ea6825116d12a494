import {createHash, timingSafeEqual} from 'node:crypto';
import type {Secret} from '../core/secret.ts';
import {refusal} from './refusal.ts';

/** Names that this machine has for itself; a page that rebinds its own name to 127.0.0.1 has another. */
const ownNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Refuses what must not even be looked at (SAFETY 25): another Host than this machine, a page of another origin, a body
 * that is not JSON (a form of a web page could send it without asking). Undefined for what may pass.
 */
export function refuseStranger(request: Request, url: URL): Response | undefined {
	const host = request.headers.get('host') ?? '';
	if (!ownNames.has(host.replace(/:\d+$/, '').toLowerCase())) {
		return refusal(url, 403, `This server does not answer to the host “${host}”.`);
	}

	const origin = request.headers.get('origin');
	if (origin !== null && origin !== `http://${host}`) {
		return refusal(url, 403, `Pages of ${origin} may not use this server.`);
	}

	const type = request.headers.get('content-type') ?? '';
	const writes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
	if (writes && !/^application\/json\s*(?:;|$)/i.test(type)) {
		return refusal(url, 415, 'Send the body as application/json.');
	}

	return undefined;
}

/** Gives a test for `Authorization: Bearer` with this token. Only its hash is kept, compared in constant time (SAFETY 26). */
export function createAuthorization(token: Secret): (request: Request) => boolean {
	const expected = hash(token.reveal());
	return request => {
		const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
		return given !== undefined && timingSafeEqual(hash(given), expected);
	};
}

function hash(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
