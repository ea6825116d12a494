import {isIP, type LookupFunction, Socket} from 'node:net';
import type {SecureContext} from 'node:tls';
import type {buildConnector, Dispatcher} from 'undici';
import type {Environment} from '../core/environment.ts';
import {explainProxyFailure, withCertificateFault} from './network-error.ts';
import {hasProxy, isProxied, type ProxyServer, routeTo} from './proxy-route.ts';

/** Connections that stay open for further requests. */
export type ConnectionPool = {
	readonly request: (
		options: Dispatcher.RequestOptions & {readonly origin: string},
	) => Promise<Dispatcher.ResponseData>;
	/**
	 * Connects to an origin before its next request, unless a proxy stands in between: a proxy logs each tunnel, and may
	 * ask for a decision about it.
	 */
	readonly warm: (origin: string) => void;
	/** Sends a request as `request` does, but to nothing: an empty answer comes back. */
	readonly rehearse: ConnectionPool['request'];
	/** Closes each connection as soon as it isn't in use. The pool takes no more requests. */
	readonly retire: () => void;
	/** Closes all connections, including those in use. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly env: Environment;
	readonly connectTimeoutMs: number;
	/** Finds the addresses of hosts that no proxy is used for; the system's lookup by default. */
	readonly lookup?: LookupFunction;
};

/** How long one of several addresses of a host may take; Node's default of 250 ms gives up on distant servers. */
const addressTimeoutMs = 1000;

/**
 * Loads undici, from single files because that takes half the time, and creates the pool. Requests take the routes of
 * `routeTo`, and trust the certificates of `readTrust`. Throws AppError("usage") for an invalid proxy address.
 */
export async function openPool({env, connectTimeoutMs, lookup}: Options): Promise<ConnectionPool> {
	const [{default: Agent}, {default: request}, {default: buildConnector}] = await Promise.all([
		import('undici/lib/dispatcher/agent.js'),
		import('undici/lib/api/api-request.js'),
		import('undici/lib/core/connect.js'),
	]);
	const {tls, fault} = await ownTrust(env);
	const connect = {
		timeout: connectTimeoutMs,
		autoSelectFamilyAttemptTimeout: addressTimeoutMs,
		...tls,
		...(lookup && {lookup}),
	};
	const connector = warmConnector(buildConnector(connect));
	const direct = new Agent({connect: connector.connect});
	const proxies = hasProxy(env) ? await openProxies({timeout: connectTimeoutMs, ...tls}, buildConnector) : undefined;
	return {
		request: async options => {
			const route = routeTo(env, new URL(options.origin));
			try {
				return await (route.kind === 'direct' || !proxies
					? request.call(direct, options)
					: proxies[route.kind](route.proxy, options, request));
			} catch (error) {
				throw withCertificateFault(error, fault);
			}
		},
		warm: origin => {
			if (!isProxied(env, new URL(origin))) {
				connector.warm(origin);
			}
		},
		rehearse: async options => {
			const nowhere = new Agent({connect: connectNowhere});
			const response = await request.call(nowhere, options);
			response.body.once('close', () => void nowhere.destroy());
			return response;
		},
		retire: () => {
			connector.close();
			void direct.close();
			proxies?.retire();
		},
		close: async () => {
			connector.close();
			await Promise.all([direct.destroy(), proxies?.close()]);
		},
	};
}

type Trust = {readonly secureContext?: SecureContext};

/** Returns what connections trust, and what is wrong with it; read only if the environment names certificates. */
async function ownTrust(env: Environment): Promise<{readonly tls: Trust; readonly fault?: string | undefined}> {
	if (!namesCertificates(env)) {
		return {tls: {}};
	}

	const {readTrust} = await import('./certificates.ts');
	const {context, fault} = readTrust(env);
	return {tls: context ? {secureContext: context} : {}, fault};
}

type Send = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
type BuildConnector = typeof buildConnector;
type Request = Parameters<ConnectionPool['request']>[0];

/** Creates what sends requests through proxies. The timeout is for proxies that never respond. */
async function openProxies(connecting: Trust & {readonly timeout: number}, buildConnector: BuildConnector) {
	const {timeout} = connecting;
	const [{default: ProxyAgent}, {default: Pool}, {default: connect}] = await Promise.all([
		import('undici/lib/dispatcher/proxy-agent.js'),
		import('undici/lib/dispatcher/pool.js'),
		import('undici/lib/api/api-connect.js'),
	]);
	const tunnels = new Map<string, Dispatcher>();
	const pools = new Map<string, Dispatcher>();
	const openTunnels = ({origin, authorization}: ProxyServer) =>
		new ProxyAgent({
			uri: origin,
			...(authorization && {token: authorization}),
			proxyTls: connecting,
			requestTls: connecting,
			// undici's own index adds this method to every dispatcher.
			clientFactory(to, options) {
				const pool = new Pool(to, {...options, headersTimeout: timeout});
				const tunnel = async (target: Dispatcher.ConnectOptions) => {
					try {
						return await connect.call(pool, target);
					} catch (error) {
						throw explainProxyFailure(error, origin);
					}
				};
				return Object.assign(pool, {connect: tunnel});
			},
		});
	// undici takes the `Host` of a request for the name of the server that it connects to.
	const connectTo = ({origin}: ProxyServer): buildConnector.connector => {
		const connector = buildConnector(connecting);
		const {hostname} = new URL(origin);
		return (options, callback) => connector({...options, servername: isIP(hostname) ? '' : hostname}, callback);
	};
	const dispatchers = () => [...tunnels.values(), ...pools.values()];
	const opened = (of: Map<string, Dispatcher>, {origin, authorization}: ProxyServer, open: () => Dispatcher) => {
		const key = `${origin} ${authorization ?? ''}`;
		const dispatcher = of.get(key) ?? open();
		of.set(key, dispatcher);
		return dispatcher;
	};

	return {
		tunnel: (proxy: ProxyServer, options: Request, send: Send) =>
			send.call(
				opened(tunnels, proxy, () => openTunnels(proxy)),
				options,
			),
		/** Sends the address in absolute form (RFC 9112, 3.2.2). */
		async forward(proxy: ProxyServer, options: Request, send: Send) {
			const {origin, path, headers} = options;
			const pool = opened(pools, proxy, () => new Pool(proxy.origin, {connect: connectTo(proxy)}));
			try {
				const answer = await send.call(pool, {
					...options,
					origin: proxy.origin,
					path: `${origin}${path}`,
					headers: {
						...(headers as Readonly<Record<string, string>>),
						host: new URL(origin).host,
						...(proxy.authorization && {'proxy-authorization': proxy.authorization}),
					},
				});
				if (answer.statusCode === 407) {
					answer.body.on('error', () => undefined).destroy();
					throw new Error('Proxy response (407)');
				}

				return answer;
			} catch (error) {
				throw isConnecting(error) ? explainProxyFailure(error, proxy.origin) : error;
			}
		},
		retire() {
			for (const dispatcher of dispatchers()) {
				void dispatcher.close();
			}
		},
		close: () => Promise.all(dispatchers().map(dispatcher => dispatcher.destroy())),
	};
}

/** Returns true for a failure before the proxy had the request. */
function isConnecting(error: unknown): boolean {
	return (
		error instanceof Error &&
		'code' in error &&
		/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(
			String(error.code),
		)
	);
}

/** Returns true if the environment names certificates to trust. */
function namesCertificates(env: Environment): boolean {
	return [env['NODE_EXTRA_CA_CERTS'], env['CURL_CA_BUNDLE'], env['SSL_CERT_FILE'], env['SSL_CERT_DIR']].some(Boolean);
}

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 2\r\n\r\n\n\n';

/** A connection to nothing: whatever is written to it is answered with an empty stream of events. */
class StandInSocket extends Socket {
	#isAnswered = false;

	override _read(): void {
		// All that there is to read is pushed by the write.
	}

	override _write(_data: unknown, _encoding: BufferEncoding, done: () => void): void {
		if (!this.#isAnswered) {
			this.#isAnswered = true;
			this.push(answer);
		}

		done();
	}

	override _writev(_parts: unknown, done: () => void): void {
		this._write(undefined, 'utf8', done);
	}
}

/**
 * Connects to nothing, for a request that is sent for practice: the first one of a process takes over ten milliseconds
 * longer, in which undici compiles its parser and V8 the functions on the way. Opens no handle of the system.
 */
function connectNowhere(_options: unknown, callback: (...result: [null, Socket]) => void): void {
	setImmediate(() => callback(null, new StandInSocket()));
}

type Connector = buildConnector.connector;

/** How long a connection waits for its first request; most servers wait a minute. */
const lifetimeMs = 20_000;

/** A connection that is opened before its request. `take` ends its lifetime. */
type Warm = {readonly socket: Promise<Socket>; readonly take: () => void};

type WarmConnector = {
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
