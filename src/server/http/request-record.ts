import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {redactKnown} from '../../core/secrets/redact.ts';
import {clientAddress} from '../kit/client-address.ts';
import type {Log} from '../kit/log.ts';
import {pathAndHostOf} from './incoming.ts';

/** What the app found out about a request before it answered. */
export type ServedFacts = {
	/** The pattern of its route; undefined if nothing has that path and method. */
	readonly route?: string | undefined;
	/** The user's id. */
	readonly user?: string | undefined;
	/** The slug of the organization, if the caller has access to it. */
	readonly organization?: string | undefined;
	/** What it answers, which a client that has gone never gets. */
	readonly status?: number | undefined;
};

const factsByResponse = new WeakMap<Response, ServedFacts>();

/** Keeps what is known about a request with its response, for the listener, and returns the response. */
export function withFacts(response: Response, facts: ServedFacts): Response {
	factsByResponse.set(response, {...facts, status: response.status});
	return response;
}

/** Returns what is known about the request of a response; nothing for a response that no app made. */
export function factsOf(response: Response): ServedFacts {
	return factsByResponse.get(response) ?? {};
}

/** A request whose connection is done with it. */
export type RequestRecord = ServedFacts & {
	readonly id: string;
	readonly method: string;
	/** Without the query, which may hold a token. */
	readonly path: string;
	/** The address at the other end, and what a proxy says of the client behind it. */
	readonly address: string | undefined;
	readonly forwardedFor: string | undefined;
	/** Undefined if there was no answer. */
	readonly status: number | undefined;
	readonly durationMs: number;
	/** Bytes of the connection, with headers. */
	readonly bytesIn: number;
	readonly bytesOut: number;
	/** Whether the client got the whole answer. */
	readonly isWhole: boolean;
};

/** How much of what a connection read belongs to earlier requests: a body may arrive with its headers. */
const readBefore = new WeakMap<Socket, number>();

/** Returns a function that completes the record of a request, to call once its connection is done with it. */
export function recordRequest(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	id: string,
): (facts: ServedFacts) => RequestRecord {
	const {socket, method = '', headers} = incoming;
	const {bytesWritten, remoteAddress} = socket;
	const startedAt = performance.now();
	let durationMs = 0;
	let bytesOut = 0;
	let isWhole = false;
	outgoing.once('close', () => {
		durationMs = performance.now() - startedAt;
		bytesOut = socket.bytesWritten - bytesWritten;
		isWhole = outgoing.writableFinished;
	});
	return facts => {
		const bytesIn = socket.bytesRead - (readBefore.get(socket) ?? 0);
		readBefore.set(socket, socket.bytesRead);
		return {
			...facts,
			id,
			method,
			path: pathAndHostOf(incoming)?.path.split('?', 1)[0] ?? 'invalid',
			address: remoteAddress,
			forwardedFor: headers['x-forwarded-for']?.toString(),
			status: outgoing.headersSent ? outgoing.statusCode : facts.status,
			durationMs,
			bytesIn,
			bytesOut,
			isWhole,
		};
	};
}

/** A server that ends or drains says so with this status, which is no fault. */
const unavailable = 503;

/** Logs a request, as an error if the server failed. */
export function logRequest(log: Log, record: RequestRecord, publicUrl: string): void {
	const {status = null} = record;
	log({
		level: status === null || status < 500 ? 'info' : status === unavailable ? 'warn' : 'error',
		message: 'request',
		request_id: record.id,
		address: clientAddress(record, publicUrl),
		user: record.user,
		organization: record.organization,
		method: record.method,
		route: record.route,
		// The address of an invitation is its code.
		path: redactKnown(record.path),
		status,
		duration_ms: Math.round(record.durationMs),
		bytes_in: record.bytesIn,
		bytes_out: record.bytesOut,
		...(!record.isWhole && {aborted: true}),
	});
}
