import {connect} from 'node:tls';
import type {Environment} from '../core/environment.ts';
import {readTrust} from './certificates.ts';
import {explainFailure, withCertificateFault} from './network-error.ts';
import {isProxied} from './proxy-route.ts';

/** How a connection is protected. */
export type TlsInfo = {
	/** Such as `TLSv1.3`. */
	readonly protocol: string;
	/** Organization and name of the certificate's issuer, as far as the certificate has them. */
	readonly issuer: string;
};

const timeoutMs = 10_000;

/**
 * Returns how the connection to an https address is protected, from a connection that sends nothing; undefined if it
 * goes through a proxy, which this would bypass. Throws AppError("network") if the connection fails or the certificate
 * is invalid (SAFETY 9), and the signal's reason.
 */
export async function readTlsInfo(url: URL, env: Environment, signal: AbortSignal): Promise<TlsInfo | undefined> {
	if (isProxied(env, url)) {
		return undefined;
	}

	const {hostname, port, origin} = url;
	signal.throwIfAborted();
	const name = hostname.replace(/^\[|\]$/g, '');
	const {context, fault} = readTrust(env);
	const socket = connect({
		host: name,
		port: Number(port || 443),
		...(context && {secureContext: context}),
		...(/[a-z]/i.test(name) && !name.includes(':') && {servername: name}),
	});
	try {
		return await new Promise((resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason), {once: true});
			socket.setTimeout(timeoutMs, () =>
				reject(Object.assign(new Error('The TLS handshake timed out.'), {code: 'UND_ERR_CONNECT_TIMEOUT'})),
			);
			socket.on('error', reject);
			socket.once('secureConnect', () => {
				const {O: organization, CN: common} = socket.getPeerCertificate().issuer;
				const issuer = [organization, common].filter(Boolean).join(', ') || 'an unnamed issuer';
				resolve({protocol: socket.getProtocol() ?? 'TLS', issuer});
			});
		});
	} catch (error) {
		const explained = withCertificateFault(error, fault);
		throw explainFailure(explained, {origin, signal, isProxied: false});
	} finally {
		socket.destroy();
	}
}
