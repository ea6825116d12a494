import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {isIPv6} from 'node:net';
import {finished} from 'node:stream/promises';
import {setImmediate} from 'node:timers/promises';
import {AppError} from '../../core/error.ts';
import type {App} from '../kit/route.ts';
import {isWhole} from './head.ts';
import {toRequest} from './incoming.ts';
import {refuseMalformed} from './malformed.ts';

export type Listening = {
	/** Without a slash at the end. */
	readonly url: string;
	/** Stops accepting requests, waits a second for those in progress, then ends them. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** 0 for a free one. */
	readonly port?: number;
	/** The address to listen on, 127.0.0.1 by default: nobody else can reach that (SAFETY 25). */
	readonly host?: string;
	/** In milliseconds: how long the headers of a request and all of it may take, and how long nothing may go either way. */
	readonly timeouts?: {readonly headers: number; readonly request: number; readonly silence: number};
};

/** Milliseconds that requests may take after `close`, and that a refused body may still be sent. */
const closeTimeoutMs = 1000;

const usualTimeouts = {headers: 10_000, request: 60_000, silence: 120_000};

const reasons: ReadonlyMap<string, string> = new Map([
	['EADDRINUSE', 'another program listens there'],
	['EACCES', 'permission denied'],
	['EADDRNOTAVAIL', 'the address is not of this machine'],
	['ENOTFOUND', 'there is no such host'],
]);

/** Serves an app. Throws `AppError` `failed` where the port is taken or not allowed, or the address not of this machine. */
export async function listen(app: App, options: Options = {}): Promise<Listening> {
	const {port = 0, host = '127.0.0.1', timeouts = usualTimeouts} = options;
	const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
		// Whatever fails here, the connection is what is broken, and the other side sees that.
		answer(app, incoming, outgoing).catch(() => outgoing.destroy());
	};
	// A request without a Host is the app's to refuse, and one that expects what nobody knows may be answered as usual.
	const server = createServer(
		{
			requestTimeout: timeouts.request,
			headersTimeout: timeouts.headers,
			// Node looks every 30 s otherwise, and lets the slow have all of that.
			connectionsCheckingInterval: timeouts.headers / 10,
			keepAliveTimeout: 5000,
			requireHostHeader: false,
		},
		handle,
	).on('checkExpectation', handle);
	refuseMalformed(server);
	// A client that reads nothing would keep its response, and the file behind it, open forever.
	server.setTimeout(timeouts.silence, socket => socket.destroy());
	server.listen(port, host);
	await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
		const reason = reasons.get(error.code ?? '') ?? error.code ?? error.message;
		throw new AppError('failed', `Port ${port} of ${host} cannot be used: ${reason}.`, {
			hint: 'Choose another `--port`, or a `--host` of this machine.',
			cause: error,
		});
	});
	const address = server.address();
	const bound = typeof address === 'object' && address ? address.port : port;

	return {
		url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeIdleConnections();
			const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
			await closed;
			clearTimeout(timer);
		},
	};
}

/** A browser that gets to see an answer must neither guess its type nor keep it. */
const guards = {'x-content-type-options': 'nosniff', 'cache-control': 'no-store'};

async function answer(app: App, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
	const gone = new AbortController();
	// An abort is an error with a stack; most answers simply end.
	outgoing.once('close', () => outgoing.writableFinished || gone.abort());
	const request = toRequest(incoming, gone.signal);
	const response = request instanceof Response ? request : await app(request);
	// Cookies alone may not be joined into one line (RFC 9110, section 5.3).
	const cookies = response.headers.getSetCookie();
	const headers = {...guards, ...Object.fromEntries(response.headers)};
	// What is whole already goes out in one piece, and says how long it is.
	const body = incoming.method !== 'HEAD' && isWhole(response) ? Buffer.from(await response.arrayBuffer()) : undefined;
	if (!incoming.complete) {
		// A body that came along with its headers is complete a moment after them.
		await setImmediate();
	}

	// The rest of a body that was refused would be in the way of the next request: the connection ends with this one.
	const isRefused = !incoming.complete;
	outgoing.writeHead(response.status, {
		...headers,
		...(cookies.length > 0 && {'set-cookie': cookies}),
		...(body && {'content-length': body.length}),
		...(isRefused && {connection: 'close'}),
	});
	if (body && !isRefused) {
		outgoing.end(body);
		return;
	}

	if (body) {
		outgoing.write(body);
	} else {
		await send(response, outgoing, gone.signal);
	}

	if (isRefused) {
		await discard(incoming);
	}

	outgoing.end();
}

/**
 * Reads the rest of a body to nowhere, for a moment at most. A connection that is closed with bytes unread is reset, and
 * the other side may never get to read the refusal.
 */
async function discard(incoming: IncomingMessage): Promise<void> {
	// A reader would pause it again.
	incoming.removeAllListeners('data');
	incoming.resume();
	const ended = finished(incoming, {signal: AbortSignal.timeout(closeTimeoutMs), writable: false});
	await ended.catch(() => undefined);
}

/** Writes a body as fast as it is read at the other side, and cancels it when nobody reads any more. */
async function send({body}: Response, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
	const reader = body?.getReader();
	const cancel = () => reader?.cancel().catch(() => undefined);
	gone.addEventListener('abort', cancel, {once: true});
	try {
		for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
			if (!outgoing.write(next.value)) {
				await once(outgoing, 'drain', {signal: gone});
			}
		}
	} finally {
		gone.removeEventListener('abort', cancel);
		await cancel();
	}
}
