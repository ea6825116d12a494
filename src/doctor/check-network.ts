import {X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {connect} from 'node:net';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';
import type {Origin} from '../core/origin.ts';
import {readTlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import {hasProxy, proxyAddress, unusedProxy} from '../net/undici-agent.ts';
import {errnoOf} from '../storage/file-error.ts';
import {type Check, fault, good} from './check.ts';

/** Files of certificates that Node or OpenSSL read, by variable. */
const certificateVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const;

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
	if (!hasProxy(env)) {
		const scheme = unusedProxy(env);
		return scheme === undefined
			? good('Proxy', 'None.')
			: fault(
					'Proxy',
					`None: ALL_PROXY names a ${scheme} proxy, which isn't supported.`,
					'Set HTTPS_PROXY to an http proxy. Until then no proxy is used.',
				);
	}

	const {protocol, origin, hostname, port} = new URL(proxyAddress(env, 'https') || proxyAddress(env, 'http'));
	const without = env['no_proxy'] ?? env['NO_PROXY'];
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

	const named = certificateVariables.flatMap(name => (env[name] ? [[name, env[name]] as const] : []));
	for (const [name, path] of named) {
		const why = certificateFault(path);
		if (why) {
			const fix = `Set ${name} to a file of certificates in PEM, or unset it.`;
			return [fault('Certificates', `${name} names ${path}, which ${why}.`, fix)];
		}
	}

	const own = named.map(([name, path]) => `${name}=${path}`).join(', ');
	return [good('Certificates', own ? `Node's, and ${own}.` : "Node's.")];
}

const certificate =
	/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/;

/** Returns why Node can't use a file of certificates; undefined if it can. Node itself ignores a broken one. */
function certificateFault(path: string): string | undefined {
	try {
		const [first] = certificate.exec(readFileSync(path, 'utf8')) ?? [];
		if (first === undefined) {
			return 'holds no certificate';
		}

		new X509Certificate(first.replaceAll(/(?:TRUSTED|X509) (?=CERTIFICATE)/g, ''));
		return undefined;
	} catch (error) {
		return errnoOf(error) ? "can't be read" : 'holds a broken certificate';
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
