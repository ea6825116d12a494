import type {LookupFunction} from 'node:net';
import type {Dispatcher} from 'undici';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isLoopback} from '../core/origin.ts';
import {explainProxyFailure} from './network-error.ts';
import {connectNowhere} from './rehearsal.ts';
import {warmConnector} from './warm-connector.ts';

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
 * Loads undici, from single files because that takes half the time, and creates the pool. Requests use the proxy in
 * `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`, except for `NO_PROXY` and this machine; always through a CONNECT tunnel, so
 * that a proxy sees neither headers nor credentials of https. Throws AppError("usage") for an invalid proxy address.
 */
export async function openPool({env, connectTimeoutMs, lookup}: Options): Promise<ConnectionPool> {
	const [{default: Agent}, {default: request}, {default: buildConnector}] = await Promise.all([
		import('undici/lib/dispatcher/agent.js'),
		import('undici/lib/api/api-request.js'),
		import('undici/lib/core/connect.js'),
	]);
	const connect = {
		timeout: connectTimeoutMs,
		autoSelectFamilyAttemptTimeout: addressTimeoutMs,
		...(lookup && {lookup}),
	};
	const connector = warmConnector(buildConnector(connect));
	const direct = new Agent({connect: connector.connect});
	const proxied = hasProxy(env) ? await openProxy(env, connect) : direct;
	const dispatcherTo = (origin: string) => (isLoopback(new URL(origin)) ? direct : proxied);
	return {
		request: options => request.call(dispatcherTo(options.origin), options),
		warm: origin => {
			if (dispatcherTo(origin) === direct) {
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
			if (proxied !== direct) {
				void proxied.close();
			}
		},
		close: async () => {
			connector.close();
			await Promise.all([direct.destroy(), proxied.destroy()]);
		},
	};
}

/** Returns true if the environment sets a proxy; errors then mention it. */
export function hasProxy(env: Environment): boolean {
	return Boolean(proxyAddress(env, 'https') || proxyAddress(env, 'http'));
}

type Connecting = {readonly timeout: number; readonly lookup?: LookupFunction};

async function openProxy(env: Environment, connecting: Connecting): Promise<Dispatcher> {
	const {timeout} = connecting;
	const [{default: ProxyAgent}, {default: Pool}, {default: connect}] = await Promise.all([
		import('undici/lib/dispatcher/env-http-proxy-agent.js'),
		import('undici/lib/dispatcher/pool.js'),
		import('undici/lib/api/api-connect.js'),
	]);
	// Empty strings, not undefined: otherwise undici reads the environment of the process, which tests don't share.
	return new ProxyAgent({
		httpsProxy: proxyAddress(env, 'https'),
		httpProxy: proxyAddress(env, 'http'),
		noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
		proxyTls: {timeout},
		...halfUser(env),
		// For hosts in NO_PROXY.
		connect: connecting,
		// undici's own index adds this method to every dispatcher. The timeout is for proxies that never respond.
		clientFactory(origin, options) {
			const pool = new Pool(origin, {...options, headersTimeout: timeout});
			const tunnel = async (to: Dispatcher.ConnectOptions) => {
				try {
					return await connect.call(pool, to);
				} catch (error) {
					throw explainProxyFailure(error, new URL(origin).origin);
				}
			};
			return Object.assign(pool, {connect: tunnel});
		},
	});
}

/**
 * Returns the address of the proxy for a scheme, with a user and password if it has them; '' for none. `ALL_PROXY` counts if
 * the variable of the scheme isn't set; one that isn't an HTTP proxy, as of a desktop for SOCKS, is not used. Throws
 * AppError("usage") for an invalid address.
 */
export function proxyAddress(env: Environment, scheme: 'http' | 'https'): string {
	const name = `${scheme.toUpperCase()}_PROXY`;
	const own = env[name.toLowerCase()] ?? env[name];
	const address = withScheme(own ?? proxyForAll(env));
	if (own === undefined && unusedProxy(env) !== undefined) {
		return '';
	}

	if (address && !(URL.canParse(address) && /^https?:$/.test(new URL(address).protocol))) {
		const variable = own === undefined ? 'ALL_PROXY' : name;
		throw new AppError('usage', `Invalid ${variable}: not an http or https URL.`, {
			hint: `Correct ${variable}, or unset it.`,
		});
	}

	return address && withDecodableUser(new URL(address));
}

/**
 * Returns the credentials of a proxy with a user or a password alone, such as a token, which undici would leave out. Two
 * proxies get none, because undici sends the same to both.
 */
function halfUser(env: Environment): {readonly token?: string} {
	const [address, ...others] = new Set([proxyAddress(env, 'https'), proxyAddress(env, 'http')].filter(Boolean));
	const {username, password} = address && others.length === 0 ? new URL(address) : {username: '', password: ''};
	const isHalf = Boolean(username) !== Boolean(password);
	const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
	return isHalf ? {token: `Basic ${Buffer.from(user).toString('base64')}`} : {};
}

const proxyForAll = (env: Environment) => env['all_proxy'] ?? env['ALL_PROXY'] ?? '';

function withScheme(text: string): string {
	const address = text.trim();
	return address && !address.includes('://') ? `http://${address}` : address;
}

/** Returns the scheme of an `ALL_PROXY` that isn't used because it isn't that of an HTTP proxy, such as `socks5`. */
export function unusedProxy(env: Environment): string | undefined {
	const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(withScheme(proxyForAll(env))) ?? [];
	return scheme === undefined || /^https?$/i.test(scheme) ? undefined : scheme.toLowerCase();
}

/** Returns the address with a user and password that undici can decode: a `%` may stand for itself. */
function withDecodableUser(url: URL): string {
	const decodable = (text: string) => text.replaceAll(/%(?![\da-f]{2})/gi, '%25');
	try {
		decodeURIComponent(url.username + url.password);
	} catch {
		url.username = decodable(url.username);
		url.password = decodable(url.password);
	}

	return url.href;
}
