import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {isIPv6} from 'node:net';
import {finished} from 'node:stream/promises';
import {setImmediate} from 'node:timers/promises';
import {type Debug, debugUrl} from '../../core/debug.ts';
import {AppError} from '../../core/error.ts';
import {errorResponse} from '../kit/http-error.ts';
import {JsonResponse} from '../kit/json-response.ts';
import {identify, requestIdHeader} from '../kit/request-id.ts';
import type {App} from '../kit/route.ts';
import {isBuffered} from './head.ts';
import {rejectMalformed, toRequest, urlOf} from './incoming.ts';
import {type RawHandler, rawRoute} from './raw-handler.ts';
import {factsOf, type RequestRecord, recordRequest, type ServedFacts} from './request-record.ts';
import {acceptUpgrades} from './upgrades.ts';

type Listening = {
	/** Without a trailing slash. */
	readonly url: string;
	/** The number of requests in progress. */
	readonly inProgress: () => number;
	/**
	 * Stops accepting connections, answers new requests on open ones with 503, and waits for those in progress. If they take
	 * longer than `closeTimeoutMs`, it answers them with 504, ends streams, and gives their handlers another moment.
	 */
	readonly close: () => Promise<void>;
};

type Options = {
	/** 0 selects a free port. */
	readonly port?: number;
	/** The address to listen on; 127.0.0.1 by default, which other machines can't reach (SAFETY 25). */
	readonly host?: string;
	/**
	 * Limits for the headers of a request, for a whole request that the app answers, and for a connection without traffic. What a
	 * raw handler answers may take as long as it goes on.
	 */
	readonly timeouts?: {readonly headersMs: number; readonly requestMs: number; readonly idleMs: number};
	/** How long a connection stays open between two requests; 75 seconds by default. */
	readonly keepAliveMs?: number | undefined;
	/** How long requests in progress may take after `close`; 5 seconds by default. */
	readonly closeTimeoutMs?: number | undefined;
	/** Gets an entry for each request. */
	readonly debug?: Debug | undefined;
	/** Gets each request once its connection is done with it. */
	readonly onDone?: ((record: RequestRecord) => void) | undefined;
	/** Answers the requests that it matches instead of the app. */
	readonly raw?: RawHandler | undefined;
};

const defaultCloseTimeoutMs = 5000;

/**
 * How many connections may wait until they are accepted. The system drops more, and clients retry them only after 1, 3 and 7 s.
 * Node's own limit is 511.
 */
const maxWaiting = 4096;

/** How long the end of a connection may take, and how long the rest of a rejected body is read. */
const endTimeoutMs = 1000;

/**
 * Longer than load balancers keep an idle connection (60 seconds as AWS, nginx and HAProxy come). If the server closed it first,
 * a request that is on its way to it would be lost, and the client would get a 502.
 */
const defaultKeepAliveMs = 75_000;

/** A connection of 2 Mbit/s sends the largest artifact in time. */
export const defaultTimeouts = {headersMs: 10_000, requestMs: 300_000, idleMs: 120_000};

const reasons: ReadonlyMap<string, string> = new Map([
	['EADDRINUSE', 'another program listens there'],
	['EACCES', 'permission denied'],
	['EADDRNOTAVAIL', 'this machine has no such address'],
	['ENOTFOUND', 'there is no such host'],
]);

/**
 * Serves an app. Throws AppError("failed") if the port is in use or not allowed, or the address belongs to another
 * machine.
 */
export async function listen(app: App, options: Options = {}): Promise<Listening> {
	const {port = 0, host = '127.0.0.1', timeouts = defaultTimeouts, closeTimeoutMs, debug, raw} = options;
	const {keepAliveMs = defaultKeepAliveMs, onDone} = options;
	const requests = createInProgress();
	const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
		if (debug) {
			logServed(incoming, outgoing, debug);
		}

		const id = identify(incoming);
		const isRaw = server.listening && raw?.matches(incoming) === true;
		if (!isRaw) {
			outgoing.setHeader(requestIdHeader, id);
			limitBody(server, incoming, timeouts.requestMs);
		}

		let facts: ServedFacts = isRaw ? {route: rawRoute} : {};
		const complete = onDone && recordRequest(incoming, outgoing, id);
		// If this fails, the connection is broken, and the client notices.
		const work = isRaw
			? raw.respond(incoming, outgoing)
			: answer(server.listening ? app : rejectClosing, incoming, outgoing, response => {
					facts = factsOf(response);
				});
		requests.add(
			outgoing,
			work.catch(() => outgoing.destroy()),
			() => complete && onDone?.(complete(facts)),
		);
	};
	// The app rejects requests without a Host. Unknown expectations are ignored.
	const server = createServer(
		{
			// Node's own limit would hold for raw handlers, too.
			requestTimeout: 0,
			headersTimeout: timeouts.headersMs,
			// By default Node checks every 30 s, which would extend the timeout for slow clients.
			connectionsCheckingInterval: timeouts.headersMs / 10,
			// The limits above begin with the next request, however long it takes to come.
			keepAliveTimeout: keepAliveMs,
			requireHostHeader: false,
		},
		handle,
	).on('checkExpectation', handle);
	rejectMalformed(server);
	if (raw) {
		acceptUpgrades(server, raw);
	}

	// Without this, a client that reads nothing would keep its response and the file behind it open forever.
	server.setTimeout(timeouts.idleMs, socket => socket.destroy());
	server.listen({port, host, backlog: maxWaiting});
	await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
		const reason = reasons.get(error.code ?? '') ?? error.code ?? error.message;
		throw new AppError('failed', `Can't listen on ${host}:${port}: ${reason}.`, {
			hint: 'Choose another --port, or a --host of this machine.',
			cause: error,
		});
	});
	const address = server.address();
	const bound = typeof address === 'object' && address ? address.port : port;

	return {
		url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
		inProgress: requests.count,
		async close() {
			const closed = close(server, requests, closeTimeoutMs);
			raw?.close();
			await closed;
		},
	};
}

/** Rejects a request, as Node does with its own limit, whose body isn't there after a time. */
function limitBody(server: Server, incoming: IncomingMessage, requestMs: number): void {
	const {headers, socket} = incoming;
	if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) {
		return;
	}

	const timeout = Object.assign(new Error('The request timed out.'), {code: 'ERR_HTTP_REQUEST_TIMEOUT'});
	const timer = setTimeout(() => incoming.complete || server.emit('clientError', timeout, socket), requestMs);
	incoming.once('close', () => clearTimeout(timer));
}

/** Closes a server as `Listening` describes it. */
async function close(server: Server, requests: InProgress, timeoutMs = defaultCloseTimeoutMs): Promise<void> {
	const closed = once(server, 'close');
	server.close();
	requests.each(outgoing => outgoing.headersSent || outgoing.setHeader('connection', 'close'));
	await requests.settle(timeoutMs);
	requests.each(endEarly);
	const endMs = Math.min(endTimeoutMs, timeoutMs);
	const timer = setTimeout(() => server.closeAllConnections(), endMs);
	server.closeIdleConnections();
	await Promise.all([closed, requests.settle(endMs)]);
	clearTimeout(timer);
}

/** Rejects a request whose connection was opened before the server closed. Nothing was done for it. */
const rejectClosing: App = async ({url}) =>
	errorResponse(new URL(url), 503, 'This server is stopping. Try again once it has started.', {
		headers: {connection: 'close', 'retry-after': '1'},
	});

/** Ends a response before its handler does: it may still have an effect, as 504 says. */
function endEarly(outgoing: ServerResponse): void {
	if (outgoing.headersSent || outgoing.destroyed) {
		outgoing.destroy();
		return;
	}

	const detail = 'This server stopped before the request was done. Check whether it took effect before you try again.';
	const response = errorResponse(urlOf(outgoing.req), 504, detail, {headers: {connection: 'close'}});
	outgoing.writeHead(504, Object.fromEntries(response.headers)).end(response.content);
}

/** Browsers must neither guess the type of a response nor cache it. */
const defaultHeaders = {'x-content-type-options': 'nosniff', 'cache-control': 'no-store'};

async function answer(
	app: App,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	onResponse: (response: Response) => void,
): Promise<void> {
	const disconnected = new AbortController();
	// Abort only if the response is unfinished: creating an abort error with its stack is slow.
	outgoing.once('close', () => outgoing.writableFinished || disconnected.abort());
	const request = toRequest(incoming, disconnected);
	const response = request instanceof Response ? request : await app(request);
	onResponse(response);
	// Set-Cookie is the only header that may not be joined into one line (RFC 9110, section 5.3).
	const cookies = response.headers.getSetCookie();
	const headers = {...defaultHeaders, ...Object.fromEntries(response.headers)};
	// A buffered response is sent in one piece with its length.
	const body = incoming.method === 'HEAD' ? undefined : await bufferedBody(response);
	if (!incoming.complete) {
		// If a body arrived with its headers, the request is complete a moment later.
		await setImmediate();
	}

	// The unread rest of a rejected body would be parsed as the next request, so the connection is closed.
	const isRejected = !incoming.complete;
	outgoing.writeHead(response.status, {
		...headers,
		...(cookies.length > 0 && {'set-cookie': cookies}),
		...(body !== undefined && {'content-length': Buffer.byteLength(body)}),
		...(isRejected && {connection: 'close'}),
	});
	if (body !== undefined && !isRejected) {
		outgoing.end(body);
		return;
	}

	if (body !== undefined) {
		outgoing.write(body);
	} else {
		await send(response, outgoing, disconnected.signal);
	}

	if (isRejected) {
		await discard(incoming);
	}

	outgoing.end();
}

/** Returns the whole body of a response that is not streamed. Node sends a text in one piece with the headers. */
async function bufferedBody(response: Response): Promise<string | Buffer | undefined> {
	if (response instanceof JsonResponse) {
		return response.content;
	}

	return isBuffered(response) ? Buffer.from(await response.arrayBuffer()) : undefined;
}

/**
 * Reads and discards the rest of a body for a moment. Closing a connection with unread bytes resets it, and the client
 * might never read the error.
 */
async function discard(incoming: IncomingMessage): Promise<void> {
	// A remaining reader would pause the stream again.
	incoming.removeAllListeners('data');
	incoming.resume();
	const ended = finished(incoming, {signal: AbortSignal.timeout(endTimeoutMs), writable: false});
	await ended.catch(() => undefined);
}

/** Writes a body as fast as the client reads it, and cancels it when the client disconnects. */
async function send({body}: Response, outgoing: ServerResponse, disconnected: AbortSignal): Promise<void> {
	const reader = body?.getReader();
	const cancel = () => reader?.cancel().catch(() => undefined);
	disconnected.addEventListener('abort', cancel, {once: true});
	try {
		for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
			if (!outgoing.write(next.value)) {
				await once(outgoing, 'drain', {signal: disconnected});
			}
		}
	} finally {
		disconnected.removeEventListener('abort', cancel);
		await cancel();
	}
}

/** The requests that a server is answering. */
type InProgress = {
	/** Their number. */
	readonly count: () => number;
	/** Adds a request until its answer is sent or its connection has ended, and `work` is done, which must not reject. Then calls `onDone`. */
	readonly add: (outgoing: ServerResponse, work: Promise<unknown>, onDone: () => void) => void;
	/** Waits until none is left, for a limited time. */
	readonly settle: (timeoutMs: number) => Promise<void>;
	/** Calls a function with the response of each. */
	readonly each: (visit: (outgoing: ServerResponse) => void) => void;
};

/** Counts a server's requests, because their work may outlast their connections. */
function createInProgress(): InProgress {
	const requests = new Map<ServerResponse, Promise<unknown>>();
	return {
		count: () => requests.size,
		add(outgoing, work, onDone) {
			const closed = new Promise<void>(resolve => outgoing.once('close', resolve));
			requests.set(
				outgoing,
				Promise.all([work, closed]).then(() => {
					requests.delete(outgoing);
					onDone();
				}),
			);
		},
		async settle(timeoutMs) {
			let timer: NodeJS.Timeout | undefined;
			const timeout = new Promise<void>(resolve => {
				timer = setTimeout(resolve, timeoutMs);
			});
			await Promise.race([Promise.all(requests.values()), timeout]);
			clearTimeout(timer);
		},
		each: visit => [...requests.keys()].forEach(visit),
	};
}

/** Writes an entry for a request once its connection is done with it. */
function logServed(incoming: IncomingMessage, outgoing: ServerResponse, debug: Debug): void {
	const {socket, method = ''} = incoming;
	const before = socket.bytesWritten;
	const startedAt = performance.now();
	outgoing.once('close', () => {
		const address = `http://${incoming.headers.host ?? 'invalid'}${incoming.url ?? ''}`;
		debug({
			kind: 'served',
			method,
			url: URL.canParse(address) ? debugUrl(address) : 'invalid',
			status: outgoing.headersSent ? outgoing.statusCode : undefined,
			durationMs: Math.round(performance.now() - startedAt),
			bytes: socket.bytesWritten - before,
			...(!outgoing.writableFinished && {error: 'aborted'}),
		});
	});
}
