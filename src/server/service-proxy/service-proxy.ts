import {type ClientRequest, type IncomingMessage, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {RawHandler} from '../http/raw-handler.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import {requestIdHeader} from '../kit/request-id.ts';
import {admitRequest, framingOf, type Passage, type ProxyOptions} from './admit-request.ts';
import {dialService, idleMs} from './dial-service.ts';
import {createAccessRecheck} from './recheck-access.ts';
import {answerOf, invalidAnswer, relay, sendFault} from './service-answer.ts';
import {targetOf} from './service-target.ts';
import {isAccepted, isHandshake, joinSockets} from './web-socket.ts';

export type ServiceProxyOptions = ProxyOptions & {
	/** How many requests and WebSockets of one sandbox may be open at once. */
	readonly maxConnections?: number;
	/** How long a service may take to begin its response. */
	readonly answerTimeoutMs?: number;
};

const defaultMaxConnections = 100;

/** How long the rest of a body is read that the service didn't want. */
const discardMs = 1000;

/**
 * Creates the streaming reverse proxy of the services of sandboxes, for whoever may see the environment: by path at the address
 * of the server, and below the service domain at a host for each service. Nothing of this server reaches a service, and nothing
 * of a service rules more than its own responses (SAFETY 27).
 */
export function createServiceProxy(options: ServiceProxyOptions): Omit<RawHandler, 'matches'> {
	const {services, maxConnections = defaultMaxConnections, answerTimeoutMs = idleMs} = options;
	const open = new Map<string, number>();
	const sockets = new Set<Duplex>();
	const recheck = createAccessRecheck(services);

	/** Counts a connection to a sandbox until it is closed. Rejects with 429 if it has too many. */
	const count = (environmentId: string, closed: Duplex | ServerResponse) => {
		if (closed.destroyed) {
			reject(400, 'The client has left.');
		}

		const before = open.get(environmentId) ?? 0;
		if (before >= maxConnections) {
			reject(429, `The sandbox has ${maxConnections} open connections. Close some, and try again.`, {
				headers: {'retry-after': '1'},
			});
		}

		open.set(environmentId, before + 1);
		closed.once('close', () => {
			const left = (open.get(environmentId) ?? 1) - 1;
			if (left > 0) {
				open.set(environmentId, left);
			} else {
				open.delete(environmentId);
			}
		});
	};
	/** Ends what a client has open once its caller has no access; another server checks those that it passed on. */
	const watch = ({caller, service}: Passage, closed: Duplex | ServerResponse) => {
		if (caller) {
			const {environmentId} = service;
			closed.once('close', recheck.watch({caller, environmentId, end: () => closed.destroy()}));
		}
	};
	const dial = async (incoming: IncomingMessage, passage: Passage, framing: readonly string[]) =>
		await dialService(services, options.forwarding, passage.service, {
			method: incoming.method ?? 'GET',
			service: passage.name,
			path: passage.path,
			headers: [...passage.headers, ...framing],
			caller: passage.caller,
		});
	/** The listener logs requests; a connection with another protocol is no longer its own. */
	const note = ({method, url = '', headers}: IncomingMessage, {statusCode: status}: ServerResponse, started: number) =>
		services.log({
			level: status >= 500 ? 'error' : 'info',
			message: 'service',
			request_id: headers[requestIdHeader]?.toString(),
			method,
			path: url.split('?')[0],
			status,
			duration_ms: Math.round(performance.now() - started),
		});
	const admit = async (incoming: IncomingMessage) => {
		const target = targetOf(incoming, services);
		if (target === 'invalid' || target === undefined) {
			reject(400, 'The path leads out of the service, or has characters that no URL has.');
		}

		return await admitRequest(options, incoming, target);
	};

	const respond: RawHandler['respond'] = async (incoming, outgoing) => {
		try {
			const admitted = await admit(incoming);
			if ('status' in admitted) {
				outgoing.writeHead(admitted.status, admitted.headers).end();
				return;
			}

			count(admitted.service.environmentId, outgoing);
			watch(admitted, outgoing);
			const upstream = await dial(incoming, admitted, framingOf(incoming));
			await exchange(incoming, outgoing, {upstream, toClient: admitted.toClient, answerTimeoutMs});
		} catch (error) {
			sendFault(services, {incoming, outgoing}, error);
		}
	};

	return {
		respond,
		async upgrade(incoming, socket, head) {
			const started = performance.now();
			socket.on('error', () => socket.destroy());
			const outgoing = new ServerResponse(incoming);
			outgoing.shouldKeepAlive = false;
			// Every answer but the handshake ends the connection.
			const answerWith = () => {
				if (!outgoing.socket) {
					outgoing.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
					outgoing.once('finish', () => socket.end());
				}
			};
			try {
				if (!isHandshake(incoming)) {
					reject(400, 'This is not a handshake of WebSocket version 13.');
				}

				const admitted = await admit(incoming);
				if ('status' in admitted) {
					rejectNotFound();
				}

				count(admitted.service.environmentId, socket);
				watch(admitted, socket);
				const upstream = await dial(incoming, admitted, ['connection', 'Upgrade', 'upgrade', 'websocket']);
				socket.once('close', () => upstream.destroy());
				if (socket.destroyed) {
					upstream.destroy();
				}

				upstream.end();
				const answer = await answerOf(upstream, answerTimeoutMs);
				if ('response' in answer) {
					answerWith();
					await relay(answer.response, outgoing, admitted.toClient);
				} else if (isAccepted(incoming, answer.accepted)) {
					sockets.add(socket);
					socket.once('close', () => sockets.delete(socket));
					outgoing.statusCode = 101;
					joinSockets({socket, head}, answer, idleMs);
				} else {
					answer.socket.destroy();
					throw invalidAnswer();
				}
			} catch (error) {
				answerWith();
				sendFault(services, {incoming, outgoing}, error);
			} finally {
				note(incoming, outgoing, started);
			}
		},
		close() {
			recheck.close();
			for (const socket of sockets) {
				socket.destroy();
			}
		},
	};
}

type Exchange = {
	readonly upstream: ClientRequest;
	readonly toClient: Passage['toClient'];
	readonly answerTimeoutMs: number;
};

/** Streams the body of a request to a service, and its response back, each as fast as the other side reads it. */
async function exchange(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	{upstream, toClient, answerTimeoutMs}: Exchange,
): Promise<void> {
	// A stream may be silent for longer than another request.
	incoming.socket.setTimeout(idleMs);
	const cancel = () => upstream.destroy();
	if (outgoing.destroyed) {
		cancel();
	}

	outgoing.once('close', cancel);
	incoming.once('error', cancel);
	upstream.once('close', () => incoming.unpipe(upstream));
	incoming.pipe(upstream);
	const answer = await answerOf(upstream, answerTimeoutMs, incoming);
	if (!('response' in answer)) {
		answer.socket.destroy();
		throw invalidAnswer();
	}

	await relay(answer.response, outgoing, toClient);
	if (!incoming.complete) {
		// The service didn't want the rest, which would be parsed as the next request.
		incoming.unpipe(upstream);
		incoming.resume();
		const timer = setTimeout(() => incoming.destroy(), discardMs);
		incoming.once('close', () => clearTimeout(timer));
	}
}
