import type {Dispatcher} from 'undici';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isLoopback} from '../core/origin.ts';
import {explainProxyFailure} from './network-error.ts';

/** Connections that are kept open for the next request, made as they are needed. */
export type ConnectionPool = {
	readonly request: (
		options: Dispatcher.RequestOptions & {readonly origin: string},
	) => Promise<Dispatcher.ResponseData>;
	/** Ends all connections, also those in use. */
	readonly close: () => Promise<void>;
};

type Options = {
	readonly env: Environment;
	/** Longest wait for a connection, in milliseconds. */
	readonly connectTimeoutMs: number;
};

/** How long one of several addresses of a host is tried before the next; Node's own 250 ms give up on far servers. */
const addressTimeoutMs = 1000;

/**
 * Loads undici, from single files because that takes half the time, and makes the pool. Requests go through the proxy
 * that `HTTPS_PROXY` and `HTTP_PROXY` name, except to `NO_PROXY` and to this machine; always through a CONNECT tunnel,
 * so that a proxy sees neither headers nor credentials of https. Throws `usage` for a proxy address that is none.
 */
export async function openPool({env, connectTimeoutMs}: Options): Promise<ConnectionPool> {
	const [{default: Agent}, {default: request}] = await Promise.all([
		import('undici/lib/dispatcher/agent.js'),
		import('undici/lib/api/api-request.js'),
	]);
	const connect = {timeout: connectTimeoutMs, autoSelectFamilyAttemptTimeout: addressTimeoutMs};
	const direct = new Agent({connect});
	const proxied = hasProxy(env) ? await openProxy(env, connectTimeoutMs) : direct;
	return {
		request: options => request.call(isLoopback(new URL(options.origin)) ? direct : proxied, options),
		close: async () => {
			await Promise.all([direct.destroy(), proxied.destroy()]);
		},
	};
}

/** True where the environment names a proxy; errors then say that it may be the one that fails. */
export function hasProxy(env: Environment): boolean {
	return Boolean(proxyOf(env, 'https') || proxyOf(env, 'http'));
}

async function openProxy(env: Environment, timeout: number): Promise<Dispatcher> {
	const [{default: ProxyAgent}, {default: Pool}, {default: connect}] = await Promise.all([
		import('undici/lib/dispatcher/env-http-proxy-agent.js'),
		import('undici/lib/dispatcher/pool.js'),
		import('undici/lib/api/api-connect.js'),
	]);
	// Empty texts, not undefined: undici would read the environment of the process, which a test does not share.
	return new ProxyAgent({
		httpsProxy: proxyOf(env, 'https'),
		httpProxy: proxyOf(env, 'http'),
		noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
		proxyTls: {timeout},
		// undici's own index gives every dispatcher this method; and a proxy that says nothing must not hold us.
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

function proxyOf(env: Environment, scheme: 'http' | 'https'): string {
	const name = `${scheme.toUpperCase()}_PROXY`;
	const text = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
	const address = text && !text.includes('://') ? `http://${text}` : text;
	if (address && !(URL.canParse(address) && /^https?:$/.test(new URL(address).protocol))) {
		throw new AppError('usage', `${name} is not an http or https address.`, {hint: `Put ${name} right, or unset it.`});
	}

	return address;
}
