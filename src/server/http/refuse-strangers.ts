import {mediaTypeOf} from '../kit/body.ts';
import {refusal} from '../kit/refusal.ts';
import type {Route} from '../kit/route.ts';

/** Names that this machine has for itself; a page that rebinds its own name to 127.0.0.1 has another. */
export const ownNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Refuses what must not even be looked at (SAFETY 25): another Host than the names of this server, and a page of another
 * origin. Undefined for what may pass.
 */
export function refuseStranger(request: Request, url: URL, names: readonly string[]): Response | undefined {
	const host = request.headers.get('host') ?? '';
	if (!names.includes(host.replace(/:\d+$/, '').toLowerCase())) {
		return refusal(url, 403, `This server does not answer to the host “${host}”.`);
	}

	const origin = request.headers.get('origin');
	if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
		return refusal(url, 403, `Pages of ${origin} may not use this server.`);
	}

	return undefined;
}

const onlyJson: readonly string[] = ['application/json'];

/** Refuses a body of a type that the operation does not take: a form of a web page could send one without asking. */
export function refuseBody(request: Request, url: URL, {accepts = onlyJson}: Route): Response | undefined {
	const writes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
	return writes && accepts.length > 0 && !accepts.includes(mediaTypeOf(request) ?? '')
		? refusal(url, 400, `Send the body as ${accepts.join(' or ')}.`)
		: undefined;
}
