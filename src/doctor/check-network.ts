import {once} from 'node:events';
import {connect} from 'node:net';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {formatAmount, formatDuration} from '../core/format.ts';
import type {Origin} from '../core/origin.ts';
import {readCertificates} from '../net/certificates.ts';
import {exceptions, proxyOf, routeTo, unusedProxy} from '../net/proxy-route.ts';
import {readTlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import {type Check, fault, good} from './check.ts';

/** A clock that differs more makes logins and signed addresses invalid. */
const mostSkewMs = 2 * 60 * 1000;

/** A proxy that takes longer to accept a connection is as good as gone. */
const proxyTimeoutMs = 5000;

/**
 * Checks the settings of the network: proxies and certificates of the user's own. Connects to the proxy and sends nothing.
 * Throws AppError("usage") for an invalid proxy, and the signal's reason.
 */
export async function checkNetworkSettings(env: Environment, signal: AbortSignal): Promise<readonly Check[]> {
	return [await proxy(env, signal), ...certificates(env)];
}

async function proxy(env: Environment, signal: AbortSignal): Promise<Check> {
	const used = proxyOf(env, 'https') ?? proxyOf(env, 'http');
	if (!used) {
		const scheme = unusedProxy(env);
		return scheme === undefined
			? good('Proxy', 'None.')
			: fault(
					'Proxy',
					`None: ALL_PROXY names a ${scheme} proxy, which isn't supported.`,
					'Set HTTPS_PROXY to an http proxy. Until then no proxy is used.',
				);
	}

	const {protocol, origin, hostname, port} = new URL(used.origin);
	const without = exceptions(env);
	const finding = `${origin}${without ? `, except for ${without}` : ''}`;
	try {
		await reach(hostname.replace(/^\[|\]$/g, ''), Number(port) || (protocol === 'https:' ? 443 : 80), signal);
		return good('Proxy', `${finding}.`);
	} catch (error) {
		signal.throwIfAborted();
		const why = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
		return fault('Proxy', `${finding}: no connection${why}.`, 'Correct HTTPS_PROXY and HTTP_PROXY, or unset them.');
	}
}

/** Connects and closes the connection at once. Throws if nobody accepts it. */
async function reach(host: string, port: number, signal: AbortSignal): Promise<void> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(proxyTimeoutMs)]);
	const socket = connect({host, port});
	try {
		await once(socket, 'connect', {signal: limit});
	} finally {
		socket.destroy();
	}
}

function certificates(env: Environment): readonly Check[] {
	if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
		const finding = 'NODE_TLS_REJECT_UNAUTHORIZED=0: Node accepts every certificate.';
		const fix = 'Unset it. For a certificate of your own set NODE_EXTRA_CA_CERTS to its file.';
		return [fault('Certificates', finding, fix)];
	}

	const {sources} = readCertificates(env);
	const wrong = sources.find(source => source.fault !== undefined);
	if (wrong) {
		const {variable, path, fault: why, count} = wrong;
		const what = variable === 'SSL_CERT_DIR' ? 'a folder' : 'a file';
		const rest = count > 0 ? ` The other ${formatAmount(count, 'certificate')} there are used.` : '';
		const fix = `Set ${variable} to ${what} of certificates in PEM, or unset it.`;
		return [fault('Certificates', `${variable} names ${path}, which ${why}.${rest}`, fix)];
	}

	return [good('Certificates', `${storeOf(env)}.`)];
}

/** Returns the certificates that connections trust, `Node's, and SSL_CERT_FILE=/ca.pem`. */
function storeOf(env: Environment): string {
	const own = readCertificates(env)
		.sources.filter(({count}) => count > 0)
		.map(({variable, path}) => `${variable}=${path}`);
	return own.length > 0 ? `Node's, and ${own.join(', ')}` : "Node's";
}

/** A server that the user configured: what uses it, such as `anthropic` or `MCP server docs`, and its address. */
export type ConfiguredHost = {readonly usedBy: string; readonly url: string};

type Hosts = {
	readonly hosts: readonly ConfiguredHost[];
	/** Sends no credential. */
	readonly transport: Transport;
	readonly env: Environment;
	readonly signal: AbortSignal;
};

/** How long a host may take to answer, in milliseconds. */
const hostTimeoutMs = 5000;

/**
 * Asks each configured host whether it is there, by its own route, without a credential: any answer counts. Says the route,
 * the proxy and the certificates of each.
 */
export async function checkHosts({hosts, transport, env, signal}: Hosts): Promise<readonly Check[]> {
	const byOrigin = new Map<string, string[]>();
	for (const {usedBy, url} of hosts) {
		const origin = URL.canParse(url) ? new URL(url).origin : url;
		byOrigin.set(origin, [...new Set([...(byOrigin.get(origin) ?? []), usedBy])]);
	}

	const store = storeOf(env);
	return Promise.all(
		[...byOrigin].map(async ([origin, users]): Promise<Check> => {
			if (!URL.canParse(origin)) {
				return fault('Host', `${users.join(', ')}: “${origin}” is not an address.`, 'Correct it.');
			}

			const route = describeRoute(env, new URL(origin));
			const trust = origin.startsWith('https:') ? `; certificates: ${store}` : '';
			const how = `${origin} (${users.join(', ')}): ${route}${trust}`;
			const startedAt = performance.now();
			try {
				const limit = AbortSignal.any([signal, AbortSignal.timeout(hostTimeoutMs)]);
				const {status, body} = await transport({method: 'GET', url: origin, signal: limit});
				await body[Symbol.asyncIterator]().return?.();
				return good('Host', `${how}; answered ${status} in ${formatDuration(performance.now() - startedAt)}.`);
			} catch (error) {
				signal.throwIfAborted();
				const why = error instanceof Error ? error.message : String(error);
				const fix = error instanceof AppError && error.hint !== 'Try again.' ? error.hint : undefined;
				return fault('Host', `${how}; no answer: ${why}`, fix ?? silent);
			}
		}),
	);
}

/** Returns how a host is reached, `direct (NO_PROXY)` or `through http://proxy:3128 (HTTPS_PROXY)`. */
function describeRoute(env: Environment, url: URL): string {
	try {
		const route = routeTo(env, url);
		switch (route.kind) {
			case 'direct':
				return route.why === 'NO_PROXY'
					? 'direct (NO_PROXY)'
					: route.why === 'loopback'
						? 'direct (this machine)'
						: 'direct (no proxy)';
			default: {
				const read = route.kind === 'forward' ? ', which reads it' : '';
				return `through ${route.proxy.origin} (${route.proxy.variable}${read})`;
			}
		}
	} catch (error) {
		return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
	}
}

type Server = {
	readonly server: Origin;
	/** Sends no credential. */
	readonly transport: Transport;
	readonly env: Environment;
	readonly signal: AbortSignal;
	/** Returns the time in milliseconds since the epoch. */
	readonly now: () => number;
};

/** Asks a server whether it is there, without a login: its state, the connection, and its clock. */
export async function checkServer({server, transport, env, signal, now}: Server): Promise<readonly Check[]> {
	const url = new URL(`${server}/healthz`);
	const from = now();
	try {
		const {status, headers, body} = await transport({method: 'GET', url: url.href, signal, headersTimeoutMs: 10_000});
		await body[Symbol.asyncIterator]().return?.();
		const to = now();
		const tls = url.protocol === 'https:' ? await readTlsInfo(url, env, signal) : undefined;
		const how = tls ? `${tls.protocol}, certificate by ${tls.issuer}` : url.protocol === 'https:' ? 'https' : 'http';
		const finding = `${server} answered ${status} in ${formatDuration(to - from)} (${how}).`;
		return [
			status >= 500 ? fault('Server', finding, 'Ask who runs it, or look into its log.') : good('Server', finding),
			...clock(headers['date'], from, to),
		];
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const fix = error.hint === undefined || error.hint === 'Try again.' ? silent : error.hint;
		return [fault('Server', error.message, fix)];
	}
}

/** What to do about a server that does not answer. */
const silent = 'Check that it runs, and that its address is correct.';

/** Compares clocks with the `Date` of a response (RFC 9110, 6.6.1), which has whole seconds. */
function clock(date: string | undefined, from: number, to: number): readonly Check[] {
	const at = Date.parse(date ?? '');
	if (Number.isNaN(at)) {
		return [];
	}

	const skew = at < from ? from - at - 1000 : Math.max(0, at - to);
	return skew > mostSkewMs
		? [
				fault(
					'Clock',
					`This clock and the server's are ${formatDuration(skew)} apart, so that logins fail.`,
					'Set the clock of this machine, for example with timedatectl set-ntp true.',
				),
			]
		: [good('Clock', "It agrees with the server's.")];
}
