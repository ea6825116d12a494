import type {App} from '../kit/route.ts';

/**
 * Lets an app that handles GET also handle HEAD: same status and headers, no body, and the length if the response is
 * buffered (RFC 9110, section 9.3.2).
 */
export function withHead(app: App): App {
	return async request => {
		if (request.method !== 'HEAD') {
			return await app(request);
		}

		const response = await app(new Request(request, {method: 'GET'}));
		const headers = new Headers(response.headers);
		if (isBuffered(response)) {
			headers.set('content-length', String((await response.arrayBuffer()).byteLength));
		} else {
			await response.body?.cancel();
		}

		return new Response(null, {status: response.status, headers});
	};
}

/** Returns whether a response has a body that is never streamed. One of a known length is a file, whatever its type. */
export function isBuffered({headers}: Response): boolean {
	return (
		!headers.has('content-length') && /^(?:application\/json|text\/html)\b/.test(headers.get('content-type') ?? '')
	);
}
