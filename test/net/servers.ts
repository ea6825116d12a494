import {once} from 'node:events';
import {createServer, type IncomingMessage, type RequestListener, type Server} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {
	type AddressInfo,
	connect,
	createServer as createSocketServer,
	type Socket,
	type Server as SocketServer,
} from 'node:net';
import type {Duplex} from 'node:stream';
import type {TlsOptions} from 'node:tls';
import {onTestFinished} from 'vitest';

/** Runs at the end of the test. */
export function atEnd(close: () => void): void {
	onTestFinished(close);
}

async function listen(server: Server | SocketServer): Promise<number> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
	});
	server.listen(0, '127.0.0.1');
	atEnd(() => {
		server.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** A request as it arrived. */
export type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** An HTTP server at loopback that remembers what it was asked. */
export async function httpServer(answer: RequestListener): Promise<{origin: string; port: number; seen: Seen[]}> {
	const seen: Seen[] = [];
	// By itself it would end a connection after five seconds, on a busy machine while a request is on its way.
	const server = createServer({keepAliveTimeout: 0}, (request, response) => {
		const {method, url, headers} = request;
		seen.push({method, url, headers});
		answer(request, response);
	});
	const port = await listen(server);
	return {origin: `http://127.0.0.1:${port}`, port, seen};
}

/** An https server; as a proxy, `tunnel` gets the connection of a CONNECT. */
export async function httpsServer(
	options: TlsOptions,
	answer: RequestListener,
	tunnel?: (socket: Duplex) => void,
): Promise<number> {
	const server = createTlsServer(options, answer);
	if (tunnel) {
		server.on('connect', (_, socket) => tunnel(socket));
	}

	return listen(server);
}

/** A server below HTTP: `answer` gets each connection. */
export async function socketServer(answer: (socket: Socket) => void): Promise<string> {
	return `http://127.0.0.1:${await listen(createSocketServer(answer))}`;
}

/** A CONNECT proxy that leads every host to `port` of this machine, and remembers the bytes of each request head. */
export async function connectProxy(port: number, status = 200): Promise<{url: string; heads: string[]}> {
	const heads: string[] = [];
	const url = await socketServer(socket => {
		socket.once('data', head => {
			heads.push(head.toString());
			if (status !== 200) {
				socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
				return;
			}

			const far = connect(port, '127.0.0.1', () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				far.pipe(socket).pipe(far);
			}).on('error', () => socket.destroy());
			atEnd(() => far.destroy());
		});
	});
	return {url, heads};
}
