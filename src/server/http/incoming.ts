import type {IncomingMessage} from 'node:http';
import {Readable} from 'node:stream';
import {clientAddressHeader} from '../kit/client-address.ts';
import {refusal} from '../kit/refusal.ts';

/** What a refusal is about whose request has no address. */
const nowhere = new URL('http://127.0.0.1/');

/** Methods that HTTP has and that no `Request` can have (Fetch, section 4.1). */
const impossible: readonly string[] = ['CONNECT', 'TRACE'];

/**
 * A request of node's server as the app takes it, or how it is refused that cannot be one: another method, no URL, or
 * two hosts (400, RFC 9112 section 3.2).
 */
export function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | Response {
	const {method = 'GET', headers, rawHeaders, socket} = incoming;
	if (impossible.includes(method)) {
		return refusal(nowhere, 405, `${method} is not possible here.`, {
			headers: {allow: 'GET, HEAD, POST, PUT, PATCH, DELETE'},
		});
	}

	if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
		return refusal(nowhere, 400, 'A request must have exactly one Host header.');
	}

	const target = targetOf(incoming);
	if (!target) {
		return refusal(nowhere, 400, 'The request target must be a path or a URL.');
	}

	const hasBody = method !== 'GET' && method !== 'HEAD';
	const pairs = Object.entries({
		...headers,
		...(target.host !== undefined && {host: target.host}),
		[clientAddressHeader]: socket.remoteAddress ?? '',
	});
	return new Request(`${nowhere.origin}${target.path}`, {
		method,
		headers: pairs.map(([name, value]) => [name, [value].flat().join(', ')] as [string, string]),
		signal,
		...(hasBody && {body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half'}),
	});
}

/** Where a request goes. One that names a whole URL names its host, too, whatever its Host header says (section 3.2.2). */
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
