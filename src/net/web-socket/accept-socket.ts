import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {messageStream, socketOptions} from './message-stream.ts';

/**
 * Answers a handshake of WebSocket. Returns the bytes that pass over it. Throws `Error` for one that is none (RFC 6455, section
 * 4.2.1); the caller answers it.
 */
export async function acceptSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<Duplex> {
	const {WebSocketServer} = await import('ws');
	const server = new WebSocketServer({...socketOptions, noServer: true, clientTracking: false});
	return await new Promise((resolve, reject) => {
		// With a listener, it answers nothing itself.
		server.on('wsClientError', reject);
		server.handleUpgrade(incoming, socket, head, opened => resolve(messageStream(opened)));
	});
}
