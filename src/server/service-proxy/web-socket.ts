import {createHash} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';

/** Returns whether a request is a handshake of WebSocket (RFC 6455, section 4.2.1), without a body. */
export function isHandshake({method, headers}: IncomingMessage): boolean {
	return (
		method === 'GET' &&
		headers['sec-websocket-version'] === '13' &&
		/^[+/\dA-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
		headers['transfer-encoding'] === undefined &&
		Number(headers['content-length'] ?? 0) === 0
	);
}

/** Returns whether a response accepts a handshake (RFC 6455, section 4.2.2), so that both sides speak the same from now on. */
export function isAccepted({headers: asked}: IncomingMessage, {headers}: IncomingMessage): boolean {
	const key = `${asked['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
	return (
		headers.upgrade?.toLowerCase() === 'websocket' &&
		headers['sec-websocket-accept'] === createHash('sha1').update(key).digest('base64')
	);
}

type Client = {readonly socket: Duplex; readonly head: Buffer};
type Service = {readonly accepted: IncomingMessage; readonly socket: Duplex; readonly head: Buffer};

/** The headers of an accepted handshake that mean anything to the client. */
const passed = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'] as const;

/** Answers a handshake as the service did, and joins the two sockets until either ends, or nothing passes for a while. */
export function joinSockets(client: Client, service: Service, idleMs: number): void {
	const lines = passed.flatMap(name => {
		const value = service.accepted.headers[name];
		return value === undefined ? [] : [`${name}: ${String(value)}`];
	});
	const head = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade', ...lines, '', ''];
	client.socket.write(Buffer.from(head.join('\r\n'), 'latin1'));
	client.socket.write(service.head);
	service.socket.write(client.head);
	for (const [from, to] of [
		[client.socket, service.socket],
		[service.socket, client.socket],
	] as const) {
		const end = () => to.destroy();
		from.once('close', end);
		from.on('error', () => from.destroy());
		limitIdle(from, idleMs);
		from.pipe(to);
	}
}

function limitIdle(socket: Duplex, idleMs: number): void {
	if ('setTimeout' in socket && typeof socket.setTimeout === 'function') {
		socket.setTimeout(idleMs, () => socket.destroy());
	}
}
