import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import {type Duplex, Readable} from 'node:stream';
import type {Problem} from '../../contract/problem.ts';
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
export function toRequest(incoming: IncomingMessage, disconnected: AbortController): Request | Response {
	const {method = 'GET', headers, rawHeaders, socket} = incoming;
	if (unsupportedMethods.includes(method)) {
		return errorResponse(baseUrl, 405, `${method} is not possible here.`, {
			headers: {allow: 'GET, HEAD, POST, PUT, PATCH, DELETE'},
		});
	}

	if (rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1) {
		return errorResponse(baseUrl, 400, 'A request must have exactly one Host header.');
	}

	const target = pathAndHostOf(incoming);
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
		...(hasBody && {
			body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
			duplex: 'half',
			signal: disconnected.signal,
		}),
	});
}

/** Returns the URL of a request on this server; that of the root for an invalid one. */
export function urlOf(incoming: IncomingMessage): URL {
	return new URL(`${baseUrl.origin}${pathAndHostOf(incoming)?.path ?? '/'}`);
}

/**
 * Returns the path of a request. A target that is a whole URL also sets the host, whatever the Host header is (RFC
 * 9112, section 3.2.2).
 */
export function pathAndHostOf({
	url = '/',
}: IncomingMessage): {readonly path: string; readonly host?: string} | undefined {
	if (url.startsWith('/')) {
		return {path: url};
	}

	if (url === '*') {
		return {path: '/'};
	}

	const whole = URL.canParse(url) ? new URL(url) : undefined;
	return whole && {path: `${whole.pathname}${whole.search}`, host: whole.host};
}

/** Messages for error codes of Node's HTTP parser. */
const details: Readonly<Record<string, string>> = {
	HPE_HEADER_OVERFLOW: 'The headers of the request are too large.',
	ERR_HTTP_REQUEST_TIMEOUT: 'The request timed out.',
};

/**
 * Rejects malformed requests with the specified error body: 400 if it is not HTTP, 405 for CONNECT.
 * By default Node responds without a body or not at all. If a response has already started, the connection is closed.
 */
export function rejectMalformed(server: Server): void {
	const answers = new WeakMap<Duplex, ServerResponse>();
	server.on('request', ({socket}, outgoing) => {
		answers.set(socket, outgoing);
		outgoing.once('close', () => answers.delete(socket));
	});
	server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
		if (!socket.writable || answers.get(socket)?.headersSent) {
			socket.destroy();
			return;
		}

		end(socket, 400, details[error.code ?? ''] ?? 'This is not an HTTP/1.1 request.');
	});
	server.on('connect', (_, socket) => end(socket, 405, 'CONNECT is not supported.'));
}

/** How long a client may take to read an error response. */
const errorTimeoutMs = 1000;

const reasons = {400: 'Bad Request', 405: 'Method Not Allowed'} as const;

function end(socket: Duplex, code: keyof typeof reasons, detail: string): void {
	const body = JSON.stringify({code, detail, type: 'invalid_error'} satisfies Problem);
	const head = [
		`HTTP/1.1 ${code} ${reasons[code]}`,
		'content-type: application/json',
		`content-length: ${Buffer.byteLength(body)}`,
		'connection: close',
		...(code === 405 ? ['allow: GET, HEAD, POST, PUT, PATCH, DELETE'] : []),
	];
	socket.on('error', () => socket.destroy());
	socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
	// Without this, a client that doesn't close its side would keep the connection open forever.
	const timer = setTimeout(() => socket.destroy(), errorTimeoutMs);
	socket.once('close', () => clearTimeout(timer));
}
