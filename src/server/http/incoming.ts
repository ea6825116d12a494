import type {IncomingMessage} from 'node:http';
import {Readable} from 'node:stream';
import {clientAddressHeader} from '../kit/client-address.ts';
import {errorResponse} from '../kit/http-error.ts';

/** The base URL of every request, also of error responses to requests without a valid URL. */
const baseUrl = new URL('http://127.0.0.1/');

/** HTTP methods that a `Request` can't have (Fetch, section 4.1). */
const unsupportedMethods: readonly string[] = ['CONNECT', 'TRACE'];

/**
 * Converts a request of Node's server to a `Request`. Returns an error response if that's impossible: an unsupported
 * method, an invalid URL, or two Host headers (400, RFC 9112, section 3.2).
 */
export function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | Response {
	const {method = 'GET', headers, rawHeaders, socket} = incoming;
	if (unsupportedMethods.includes(method)) {
		return errorResponse(baseUrl, 405, `${method} is not possible here.`, {
			headers: {allow: 'GET, HEAD, POST, PUT, PATCH, DELETE'},
		});
	}

	if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
		return errorResponse(baseUrl, 400, 'A request must have exactly one Host header.');
	}

	const target = targetOf(incoming);
	if (!target) {
		return errorResponse(baseUrl, 400, 'The request target must be a path or a URL.');
	}

	const hasBody = method !== 'GET' && method !== 'HEAD';
	const pairs = Object.entries({
		...headers,
		...(target.host !== undefined && {host: target.host}),
		[clientAddressHeader]: socket.remoteAddress ?? '',
	});
	return new Request(`${baseUrl.origin}${target.path}`, {
		method,
		headers: pairs.map(([name, value]) => [name, [value].flat().join(', ')] as [string, string]),
		// Only a body can end early, and a signal costs as much as the rest of a request.
		...(hasBody && {body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half', signal}),
	});
}

/** Returns the URL of a request on this server; that of the root for an invalid one. */
export function urlOf(incoming: IncomingMessage): URL {
	return new URL(`${baseUrl.origin}${targetOf(incoming)?.path ?? '/'}`);
}

/**
 * Returns the path of a request. A target that is a whole URL also sets the host, whatever the Host header is (RFC
 * 9112, section 3.2.2).
 */
function targetOf({url = '/'}: IncomingMessage): {readonly path: string; readonly host?: string} | undefined {
	if (url.startsWith('/')) {
		return {path: url};
	}

	if (url === '*') {
		return {path: '/'};
	}

	const whole = URL.canParse(url) ? new URL(url) : undefined;
	return whole && {path: `${whole.pathname}${whole.search}`, host: whole.host};
}
