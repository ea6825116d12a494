import type {Server, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {Problem} from '../../contract/problem.ts';

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
