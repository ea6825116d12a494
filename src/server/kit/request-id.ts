import {randomUUID} from 'node:crypto';
import type {IncomingMessage} from 'node:http';

/** The header that names a request in its answer, in the log, and for a server that it is passed on to. */
export const requestIdHeader = 'x-request-id';

/** What a proxy or a client may call a request: short, and nothing that a log or a terminal reads as more than a name. */
const acceptable = /^[\w.-]{1,64}$/;

/** Returns the id that came with a request, or a new one for none, several, or one that could be anything. Its headers keep it. */
export function identify({headers}: IncomingMessage): string {
	const sent = headers[requestIdHeader];
	const id = typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
	headers[requestIdHeader] = id;
	return id;
}

/** Returns the id that the listener gave a request; undefined without a listener. */
export function requestIdOf({headers}: Request): string | undefined {
	return headers.get(requestIdHeader) ?? undefined;
}
