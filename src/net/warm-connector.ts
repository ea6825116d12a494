import type {Socket} from 'node:net';
import type {buildConnector} from 'undici';

type Connector = buildConnector.connector;

/** How long a connection waits for its first request; most servers wait a minute. */
const lifetimeMs = 20_000;

/** A connection that is opened before its request. `take` ends its lifetime. */
type Warm = {readonly socket: Promise<Socket>; readonly take: () => void};

export type WarmConnector = {
	/** Connects as the given connector does, but takes the connection that was opened ahead, if there is one. */
	readonly connect: Connector;
	/** Opens a connection to an origin, unless one is open. Nothing is sent on it. Failures are left to the request. */
	readonly warm: (origin: string) => void;
	/** Closes connections that no request has used. */
	readonly close: () => void;
};

/** Returns a connector for undici that can connect, with TLS, before there is a request. Unused connections close soon. */
export function warmConnector(connectNow: Connector): WarmConnector {
	const waiting = new Map<string, Warm>();
	/** How many connections of an origin requests use or can use again. */
	const inUse = new Map<string, number>();

	const use = (origin: string, socket: Socket) => {
		const add = (count: number) => inUse.set(origin, (inUse.get(origin) ?? 0) + count);
		add(1);
		socket.once('close', () => add(-1));
		return socket;
	};

	const open = (origin: string): Promise<Socket> => {
		const {protocol, hostname, host, port} = new URL(origin);
		const address = {protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port};
		return new Promise((resolve, reject) => {
			connectNow(address, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
		});
	};

	return {
		connect(options, callback) {
			const origin = `${options.protocol}//${options.host}`;
			const ahead = waiting.get(origin);
			ahead?.take();
			const socket = ahead?.socket.then(found => (found.destroyed ? open(origin) : found.ref())) ?? open(origin);
			socket.then(
				found => callback(null, use(origin, found)),
				error => callback(error, null),
			);
		},
		warm(origin) {
			if (waiting.has(origin) || (inUse.get(origin) ?? 0) > 0) {
				return;
			}

			const socket = open(origin);
			const timer = setTimeout(() => drop(ahead), lifetimeMs).unref();
			const take = () => {
				clearTimeout(timer);
				waiting.delete(origin);
			};
			const ahead = {socket, take};
			const forget = () => {
				if (waiting.get(origin) === ahead) {
					take();
				}
			};
			waiting.set(origin, ahead);
			// It doesn't keep the program running.
			socket.then(found => found.unref().on('error', forget).once('close', forget)).catch(forget);
		},
		close() {
			for (const ahead of [...waiting.values()]) {
				drop(ahead);
			}
		},
	};
}

function drop({socket, take}: Warm): void {
	take();
	socket.then(found => found.destroy()).catch(() => undefined);
}
