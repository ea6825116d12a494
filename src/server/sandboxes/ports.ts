import {readFile} from 'node:fs/promises';
import {connect, createServer} from 'node:net';

/** Recently assigned ports: the system may offer one again before its program listens. */
const recentPorts = new Set<number>();
const maxRecentPorts = 256;

/** Returns a free port of this machine. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = await askForPort();
		if (!recentPorts.has(port)) {
			recentPorts.add(port);
			const [oldest] = recentPorts;
			if (recentPorts.size > maxRecentPorts && oldest !== undefined) {
				recentPorts.delete(oldest);
			}

			return port;
		}
	}
}

function askForPort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
		});
	});
}

/** Returns whether a program listens on a port of this machine. */
export function isListening(port: number): Promise<boolean> {
	return new Promise(resolve => {
		const socket = connect({port, host: '127.0.0.1', timeout: 1000});
		const end = (answer: boolean) => {
			socket.destroy();
			resolve(answer);
		};
		socket.once('connect', () => end(true));
		socket.once('timeout', () => end(false));
		socket.once('error', () => end(false));
	});
}

/**
 * Returns whether a program listens on a port in the network of the process `pid`. Connecting wouldn't tell, because
 * its forwarder accepts connections earlier.
 */
export async function isListeningAt(pid: number, port: number): Promise<boolean> {
	const tables = await Promise.all(
		['tcp', 'tcp6'].map(name => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
	);
	return hasListener(tables.join('\n'), port);
}

/** Returns whether a program listens on a port, by the text of `/proc/net/tcp` and `tcp6`. */
export function hasListener(tables: string, port: number): boolean {
	const hex = port.toString(16).toUpperCase().padStart(4, '0');
	return new RegExp(`^\\s*\\d+: [0-9A-F]+:${hex} \\S+ 0A `, 'm').test(tables);
}
