import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {onTestFinished} from 'vitest';

/**
 * Creates a network between a port of this machine and a socket. It can drop everything silently, and lead new connections to
 * another socket, as a load balancer does, or a name.
 */
export async function createNetwork(socketPath: string) {
	let target = socketPath;
	const sockets = new Set<Socket>();
	let isFrozen = false;
	const join = (from: Socket, to: Socket) => {
		sockets.add(from);
		from.on('data', bytes => isFrozen || to.write(bytes));
		from.on('error', () => to.destroy());
		from.on('close', () => {
			sockets.delete(from);
			if (!isFrozen) {
				to.destroy();
			}
		});
	};
	const server = createServer(client => {
		const backend = connect(target);
		join(client, backend);
		join(backend, client);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	const address = server.address();
	return {
		port: typeof address === 'object' && address ? address.port : 0,
		leadTo(path: string) {
			target = path;
		},
		freeze() {
			isFrozen = true;
		},
		/** Forwards again. Lost data stays lost, and so do the affected connections. */
		thaw() {
			isFrozen = false;
			for (const socket of sockets) {
				socket.destroy();
			}
		},
	};
}
