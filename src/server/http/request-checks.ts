import {mediaTypeOf} from '../kit/body.ts';
import {errorResponse} from '../kit/http-error.ts';
import type {Route} from '../kit/route.ts';

/** The names of this machine. A page that rebinds its own name to 127.0.0.1 uses another (DNS rebinding). */
export const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Returns 403 for a request with an unknown Host or from a page of another origin (SAFETY 25); undefined if it is
 * allowed.
 */
export function checkHost(request: Request, url: URL, names: readonly string[]): Response | undefined {
	const host = request.headers.get('host') ?? '';
	if (!names.includes(host.replace(/:\d+$/, '').toLowerCase())) {
		return errorResponse(url, 403, `This server does not answer to the host “${host}”.`);
	}

	const origin = request.headers.get('origin');
	if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
		return errorResponse(url, 403, `Pages of ${origin} may not use this server.`);
	}

	return undefined;
}

const onlyJson: readonly string[] = ['application/json'];

/**
 * Returns 400 for a body of a media type that the operation doesn't accept. HTML forms of other sites could send such
 * bodies without a preflight request.
 */
export function checkMediaType(
	request: Request,
	url: URL,
	{accepts = onlyJson, mayLackBody = false}: Route,
): Response | undefined {
	const writes = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
	if (mayLackBody && lacksBody(request)) {
		return undefined;
	}

	return writes && accepts.length > 0 && !accepts.includes(mediaTypeOf(request) ?? '')
		? errorResponse(url, 400, `Send the body as ${accepts.join(' or ')}.`)
		: undefined;
}

/** True if the headers of a request announce no body (RFC 9112, 6.3) and no media type of one. */
function lacksBody(request: Request): boolean {
	const {headers} = request;
	return (
		mediaTypeOf(request) === undefined &&
		!headers.has('transfer-encoding') &&
		Number(headers.get('content-length') ?? 0) === 0
	);
}
