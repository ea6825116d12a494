import {connect} from 'node:tls';
import type {Environment} from '../core/environment.ts';
import {explainFailure} from './network-error.ts';
import {hasProxy} from './undici-agent.ts';

/** How a connection is protected. */
export type TlsInfo = {
	/** `TLSv1.3`. */
	readonly protocol: string;
	/** Who vouches for the server: organization and name of the certificate's issuer, as far as it has them. */
	readonly issuer: string;
};

const timeoutMs = 10_000;

/**
 * Looks at the certificate of an https address, which must be valid (SAFETY 9), with a connection of its own that sends
 * nothing; undefined where the environment names a proxy, because this would go past it. Throws `network` where there is
 * no such connection, and the signal's reason.
 */
export async function readTlsInfo(
	{hostname, port, origin}: URL,
	env: Environment,
	signal: AbortSignal,
): Promise<TlsInfo | undefined> {
	if (hasProxy(env)) {
		return undefined;
	}

	signal.throwIfAborted();
	const name = hostname.replace(/^\[|\]$/g, '');
	const socket = connect({
		host: name,
		port: Number(port || 443),
		...(/[a-z]/i.test(name) && !name.includes(':') && {servername: name}),
	});
	try {
		return await new Promise((resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason), {once: true});
			socket.setTimeout(timeoutMs, () =>
				reject(Object.assign(new Error('The handshake took too long.'), {code: 'UND_ERR_CONNECT_TIMEOUT'})),
			);
			socket.on('error', reject);
			socket.once('secureConnect', () => {
				const {O: organization, CN: common} = socket.getPeerCertificate().issuer;
				const issuer = [organization, common].filter(Boolean).join(', ') || 'an unnamed issuer';
				resolve({protocol: socket.getProtocol() ?? 'TLS', issuer});
			});
		});
	} catch (error) {
		throw explainFailure(error, {origin, signal, isProxied: false});
	} finally {
		socket.destroy();
	}
}
