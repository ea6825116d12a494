import type {ClientRequest, IncomingMessage, ServerResponse} from 'node:http';
import type {Duplex, Readable} from 'node:stream';
import type {Services} from '../handlers/services.ts';
import {responseToError} from '../http/app.ts';
import {errorResponse, HttpError} from '../kit/http-error.ts';
import {requestIdHeader} from '../kit/request-id.ts';
import type {Passage} from './admit-request.ts';
import {maxHeaderBytes, rejectStarting} from './dial-service.ts';

/** A response, or the connection of a handshake that the service accepted. */
export type ServiceAnswer =
	| {readonly response: IncomingMessage}
	| {readonly accepted: IncomingMessage; readonly socket: Duplex; readonly head: Buffer};

/**
 * Returns the answer to a request, of which a body may still be on its way: the time for the answer begins with the last of that.
 * Rejects with an error of which `sendFault` knows the reason.
 */
export function answerOf(upstream: ClientRequest, timeoutMs: number, body?: Readable): Promise<ServiceAnswer> {
	return new Promise((resolve, rejectWith) => {
		const timer = setTimeout(() => upstream.destroy(fault('ETIMEDOUT')), timeoutMs);
		const goOn = () => void timer.refresh();
		const end = () => {
			clearTimeout(timer);
			body?.off('data', goOn);
		};
		body?.on('data', goOn);
		upstream.once('close', () => {
			end();
			rejectWith(fault('ECONNRESET'));
		});
		upstream.once('timeout', () => upstream.destroy(fault('ETIMEDOUT')));
		upstream.on('error', rejectWith);
		upstream.once('upgrade', (accepted, socket, head) => resolve({accepted, socket, head}));
		upstream.once('response', response => {
			end();
			resolve({response});
		});
	});
}

/** Returns an error as if Node's parser had found an answer that the service may not give. */
export function invalidAnswer(): Error {
	return fault('HPE_INVALID_STATUS');
}

function fault(code: string): Error {
	return Object.assign(new Error(code), {code});
}

/** Streams a response to the client, as fast as that reads it. Rejects a status that no response has. */
export async function relay(
	response: IncomingMessage,
	outgoing: ServerResponse,
	toClient: Passage['toClient'],
): Promise<void> {
	const {statusCode = 0, rawHeaders} = response;
	if (statusCode < 200 || statusCode > 599) {
		response.destroy();
		throw invalidAnswer();
	}

	if (outgoing.destroyed) {
		response.destroy();
		return;
	}

	outgoing.writeHead(statusCode, [...toClient(rawHeaders)]);
	outgoing.flushHeaders();
	// If one side breaks, so does the other: nobody takes a part for the whole.
	response.once('error', () => outgoing.destroy());
	response.once('close', () => response.complete || outgoing.destroy());
	response.pipe(outgoing);
	await new Promise(resolve => outgoing.once('close', resolve));
}

/** Why a service gave no response. */
function explainFault(error: unknown): unknown {
	const code = error instanceof Error && 'code' in error ? String(error.code) : '';
	if (code === 'ECONNREFUSED') {
		return thrownBy(rejectStarting);
	}

	if (code === 'HPE_HEADER_OVERFLOW') {
		return new HttpError(502, `The service sent headers of more than ${maxHeaderBytes / 1024} KiB.`, {});
	}

	if (code.startsWith('HPE_')) {
		return new HttpError(502, 'The service sent no valid HTTP/1.1 response.', {});
	}

	if (code === 'ETIMEDOUT') {
		return new HttpError(504, 'The service did not respond in time.', {});
	}

	return ['ECONNRESET', 'EPIPE'].includes(code)
		? new HttpError(502, 'The service closed the connection without a response.', {})
		: error;
}

function thrownBy(work: () => never): unknown {
	try {
		return work();
	} catch (error) {
		return error;
	}
}

type Exchanged = {readonly incoming: IncomingMessage; readonly outgoing: ServerResponse};

/** Answers with an error, or ends the connection if a response has begun. */
export function sendFault({log}: Services, {incoming, outgoing}: Exchanged, error: unknown): void {
	if (outgoing.headersSent || outgoing.destroyed) {
		outgoing.destroy();
		return;
	}

	const url = new URL('http://127.0.0.1/sandboxes');
	const explained = explainFault(error);
	const response =
		explained instanceof HttpError
			? errorResponse(url, explained.status, explained.message, explained.options)
			: responseToError(explained, url, log, incoming.headers[requestIdHeader]?.toString());
	const text = 'content' in response ? String(response.content) : '';
	const requestId = incoming.headers[requestIdHeader];
	outgoing.writeHead(response.status, {
		...(requestId !== undefined && {[requestIdHeader]: requestId}),
		...Object.fromEntries(response.headers),
		'content-length': Buffer.byteLength(text),
		'cache-control': 'no-store',
		'x-content-type-options': 'nosniff',
		// The unread rest of a body would be parsed as the next request.
		...(!incoming.complete && {connection: 'close'}),
	});
	outgoing.end(incoming.method === 'HEAD' ? undefined : text);
	incoming.resume();
}
