import {type ClientRequest, type IncomingMessage, request as requestHttp} from 'node:http';
import {request as requestHttps} from 'node:https';
import {Readable} from 'node:stream';
import type {Principal} from '../kit/authorize.ts';
import {endToEnd, headersOf} from '../kit/hop-by-hop.ts';
import {reject} from '../kit/http-error.ts';
import type {DataAccess} from '../kit/services.ts';
import {
	createForwardCheck,
	forwardHeader,
	forwardPurpose,
	signForward,
	type VerifyForward,
} from './forward-signature.ts';
import {findMachineServer, rejectUnreachable} from './machine-server.ts';

/** Passes requests on to the servers of other machines, and accepts theirs. */
export type Forwarding = {
	readonly verify: VerifyForward;
	/**
	 * Opens a request to the server of a machine for a caller; its body is up to the caller. `headers` alternate names and
	 * values, with that of the connection. Rejects (503) if no server manages the machine, or that can't be reached.
	 */
	readonly open: (machine: string, request: Outgoing) => Promise<ClientRequest>;
	/** Returns the answer of the server of a machine to a request without a body. Rejects (502, 503) if it gives none. */
	readonly answer: (machine: string, request: Request, caller: Principal) => Promise<Response>;
};

type Outgoing = {
	readonly method: string;
	readonly target: string;
	readonly caller: Principal;
	readonly headers: readonly string[];
	/** How long nothing may pass. */
	readonly idleMs: number;
};

type Options = DataAccess & {
	/** Derives a key of one purpose from the one that servers of a database share. */
	readonly derive: (purpose: string) => Buffer;
	/** The id of this server. */
	readonly self: string;
	/** The name of this host. */
	readonly host: string;
};

const maxHeaderBytes = 32 * 1024;
const answerTimeoutMs = 30_000;
const connectTimeoutMs = 5000;

/** What of a request matters to the operations that are passed on. */
const passedHeaders = ['accept', 'if-none-match', 'user-agent', 'x-request-id'];

export function createForwarding({database, now, derive, self, host}: Options): Forwarding {
	const key = derive(forwardPurpose);
	const open: Forwarding['open'] = async (machine, {method, target, caller, headers, idleMs}) => {
		const server = await findMachineServer({database, now}, machine, host);
		const {protocol, hostname, port, host: authority} = new URL(server.address);
		const signature = signForward(key, {to: server.id, method, target, caller}, now());
		const outgoing = (protocol === 'https:' ? requestHttps : requestHttp)({
			host: hostname.replace(/^\[|\]$/g, ''),
			port,
			method,
			path: target,
			headers: ['host', authority, forwardHeader, signature, ...headers],
			// A connection for each request: what one of them leaves behind reaches no other.
			agent: false,
			timeout: idleMs,
			maxHeaderSize: maxHeaderBytes,
		});
		await connected(outgoing, protocol === 'https:' ? 'secureConnect' : 'connect');
		return outgoing;
	};
	return {
		verify: createForwardCheck({key, self, now}),
		open,
		async answer(machine, request, caller) {
			const {pathname, search} = new URL(request.url);
			const passed = passedHeaders.flatMap(name => {
				const value = request.headers.get(name);
				return value === null ? [] : [name, value];
			});
			const headers = ['connection', 'close', ...passed];
			const isReading = request.method === 'GET' || request.method === 'HEAD';
			const outgoing = await open(machine, {
				method: request.method,
				target: `${pathname}${search}`,
				caller,
				headers: isReading ? headers : [...headers, 'content-length', '0'],
				idleMs: answerTimeoutMs,
			});
			return toResponse(await firstResponse(outgoing, isReading));
		},
	};
}

/** Resolves when a request is on its way. Rejects (503) if the server can't be reached, so that nothing was done for it. */
function connected(outgoing: ClientRequest, event: 'connect' | 'secureConnect'): Promise<void> {
	return new Promise((resolve, rejectWith) => {
		const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), connectTimeoutMs);
		const fail = () => {
			clearTimeout(timer);
			rejectWith(rejectionBy(() => rejectUnreachable('its server does not answer')));
		};
		outgoing.once('error', fail);
		outgoing.once('socket', socket =>
			socket.once(event, () => {
				clearTimeout(timer);
				outgoing.off('error', fail);
				resolve();
			}),
		);
	});
}

/** Sends a request without a body, and returns the response. Rejects (502, 503) if the connection breaks before. */
function firstResponse(outgoing: ClientRequest, isReading: boolean): Promise<IncomingMessage> {
	return new Promise((resolve, rejectWith) => {
		outgoing.once('timeout', () => outgoing.destroy(new Error('timeout')));
		outgoing.once('response', resolve);
		outgoing.once('error', () =>
			rejectWith(rejectionBy(() => (isReading ? rejectUnreachable('its server does not answer') : rejectLost()))),
		);
		outgoing.end();
	});
}

function rejectLost(): never {
	return reject(
		502,
		'The server of the sandbox’s machine was lost. Check whether it took effect before you try again.',
		{
			type: 'sandbox_provider_error',
		},
	);
}

function rejectionBy(work: () => never): unknown {
	try {
		return work();
	} catch (error) {
		return error;
	}
}

function toResponse(incoming: IncomingMessage): Response {
	const {statusCode: status = 502, rawHeaders} = incoming;
	// This server says the time of its own answer.
	const headers = endToEnd(headersOf(rawHeaders)).filter(([name]) => name.toLowerCase() !== 'date');
	const hasBody = status !== 204 && status !== 304;
	if (!hasBody) {
		incoming.resume();
	}

	return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null, {
		status,
		headers: headers.map(([name, value]) => [name, value] as [string, string]),
	});
}
