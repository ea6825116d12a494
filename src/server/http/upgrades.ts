import type {IncomingMessage, Server} from 'node:http';
import type {Duplex} from 'node:stream';
import {identify} from '../kit/request-id.ts';
import type {RawHandler} from './raw-handler.ts';

/**
 * Passes requests for WebSocket that `handler` answers to it. All others are answered as if they asked for no other protocol
 * (RFC 9110, section 7.8): Node has no such choice once a server listens for upgrades.
 */
export function acceptUpgrades(server: Server, handler: RawHandler): void {
	server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
		if (server.listening && isWebSocket(incoming) && handler.matches(incoming)) {
			identify(incoming);
			handler.upgrade(incoming, socket, head).catch(() => socket.destroy());
			return;
		}

		socket.unshift(Buffer.concat([headWithoutUpgrade(incoming), head]));
		server.emit('connection', socket);
	});
}

function isWebSocket({headers}: IncomingMessage): boolean {
	return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Returns the head of a request as it was sent, but for what asks for another protocol. */
function headWithoutUpgrade({method, url, httpVersion, rawHeaders, headers}: IncomingMessage): Buffer {
	const lines = [`${method} ${url} HTTP/${httpVersion}`];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
		if (!['upgrade', 'connection'].includes(name.toLowerCase())) {
			lines.push(`${name}: ${value}`);
		}
	}

	const options = (headers.connection ?? '').split(',').map(option => option.trim());
	const kept = options.filter(option => option !== '' && option.toLowerCase() !== 'upgrade');
	if (kept.length > 0) {
		lines.push(`Connection: ${kept.join(', ')}`);
	}

	return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
