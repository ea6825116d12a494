import type {IncomingMessage, ServerResponse} from 'node:http';
import {type Debug, debugUrl} from '../../core/debug.ts';

/** Writes an entry for a request once its connection is done with it. */
export function logServed(incoming: IncomingMessage, outgoing: ServerResponse, debug: Debug): void {
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
