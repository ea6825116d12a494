import {createServer, type Server, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import type {ServiceHost} from '../provider.ts';
import {readFrames} from './output-frames.ts';

/** Listeners on this server's loopback, each of which stands for a port of a sandbox. */
export type ServiceTunnels = {
	/** Returns the address that stands for a port; the same one until it is closed. */
	readonly addressOf: (id: string, port: number) => Promise<ServiceHost>;
	/** Returns whether an address stands for a port. */
	readonly has: (id: string, port: number) => boolean;
	/** Closes what stands for the ports of a sandbox, or of all. */
	readonly close: (id?: string) => void;
};

/** Connections to one port at once. Each is a process in the sandbox. */
const maxConnections = 64;

/**
 * Creates tunnels. `openRelay` starts a program in a sandbox that connects to a port there; it returns its input, and its
 * output, which `decode` reads.
 */
export function createTunnels(
	openRelay: (id: string, port: number) => Promise<Duplex>,
	decode: (output: Duplex) => AsyncIterable<Buffer> = readFrames,
): ServiceTunnels {
	const open = new Map<string, {readonly id: string; readonly server: Server; readonly sockets: Set<Socket>}>();
	const listening = new Map<string, Promise<ServiceHost>>();
	const listen = async (id: string, port: number): Promise<ServiceHost> => {
		const sockets = new Set<Socket>();
		const server = createServer({allowHalfOpen: true}, socket => {
			sockets.add(socket);
			socket.once('close', () => sockets.delete(socket));
			void relay(socket, () => openRelay(id, port), decode);
		});
		server.maxConnections = maxConnections;
		open.set(`${id} ${port}`, {id, server, sockets});
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(0, '127.0.0.1', resolve);
		});
		server.unref();
		const address = server.address();
		return {host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0};
	};

	return {
		addressOf(id, port) {
			const key = `${id} ${port}`;
			const address = listening.get(key) ?? listen(id, port);
			listening.set(key, address);
			return address;
		},
		has: (id, port) => listening.has(`${id} ${port}`),
		close(id) {
			for (const [key, {id: of, server, sockets}] of open) {
				if (id === undefined || of === id) {
					server.close();
					for (const socket of sockets) {
						socket.destroy();
					}

					open.delete(key);
					listening.delete(key);
				}
			}
		},
	};
}

/** Connects a socket with a relay until both directions have ended, or one of them breaks. */
async function relay(
	socket: Socket,
	openRelay: () => Promise<Duplex>,
	decode: (output: Duplex) => AsyncIterable<Buffer>,
): Promise<void> {
	let inside: Duplex | undefined;
	socket.on('error', () => inside?.destroy());
	try {
		inside = await openRelay();
		await Promise.all([pipeline(socket, inside), pipeline(decode(inside), socket)]);
	} catch {
		// The client sees that its connection breaks, as when the program itself breaks it.
	} finally {
		inside?.destroy();
		socket.destroy();
	}
}
