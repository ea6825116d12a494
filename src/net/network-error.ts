import {AppError, isAbort} from '../core/error.ts';
import {isRetryableStatus} from './retry.ts';

type Explained = readonly [message: string, hint: string];

/** The request whose failure is explained. */
export type Exchange = {
	readonly origin: string;
	readonly signal: AbortSignal | undefined;
	/** True if the request may have gone through a proxy. */
	readonly isProxied: boolean;
};

const untrusted: readonly string[] = [
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/** Why certificates that the user named aren't used, by the error of a connection that may need them. */
const certificateFaults = new WeakMap<Error, string>();

/** Returns an error of a connection, which is explained with what is wrong with the user's own certificates. */
export function withCertificateFault(error: unknown, fault: string | undefined): unknown {
	if (error instanceof Error && fault !== undefined) {
		certificateFaults.set(error, fault);
	}

	return error;
}

/**
 * Returns the error to throw for a failed request or body: AppError("network") with a cause that users understand, the
 * `AbortError` of the caller, or the error itself if it's a bug.
 */
export function explainFailure(error: unknown, {origin, signal, isProxied}: Exchange): unknown {
	if (signal?.aborted) {
		return abortOf(signal, origin);
	}

	if (error instanceof AppError || !(error instanceof Error)) {
		return error;
	}

	const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
	if (status) {
		if (status === '407') {
			return network(needsUser, error, true);
		}

		const what = `The proxy refused to connect to ${origin} (status ${status}).`;
		return network([what, checkProxy], error, !isRetryableStatus(Number(status)));
	}

	const code = codeOf(error);
	if (!code || code === 'UND_ERR_INVALID_ARG') {
		return error;
	}

	const [message, usual] = explainCode(code, origin);
	const wrong = untrusted.includes(code) ? certificateFaults.get(error) : undefined;
	const hint = wrong ? `${wrong} Correct it, so that the certificate of its authority is trusted.` : usual;
	return network([message, isProxied ? `${hint} ${checkProxy}` : hint], error, permanent.test(code));
}

/**
 * Returns the error for a tunnel that the proxy at the origin `proxy` did not open: AppError("network"), or the error itself
 * if it's not a network failure.
 */
export function explainProxyFailure(error: unknown, proxy: string): unknown {
	const explained = explainFailure(error, {origin: proxy, signal: undefined, isProxied: false});
	if (!(explained instanceof AppError)) {
		return explained;
	}

	const {message, hint = checkProxy, permanent: isPermanent} = explained;
	const what = `Can't connect through the proxy. ${message}`;
	return network([what, isPermanent ? hint : checkProxy], explained, isPermanent);
}

/** Codes that a retry can't change: certificates, a protocol other than HTTP, headers too large; not an early end. */
const permanent =
	/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|HPE_(?!INVALID_EOF))/;

function codeOf(error: Error): string | undefined {
	const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
	// undici's parser sets no code for some of its messages.
	return code ?? (error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined);
}

const checkProxy = 'Check the proxy in HTTPS_PROXY or HTTP_PROXY.';

const needsUser: Explained = [
	'The proxy needs another user name or password (407).',
	'Set them in HTTPS_PROXY, as http://user:password@host:port.',
];

function network([message, hint]: Explained, cause: Error, isPermanent = false): AppError {
	return new AppError('network', message, {hint, cause, permanent: isPermanent});
}

function abortOf(signal: AbortSignal, origin: string): unknown {
	const reason: unknown = signal.reason;
	if (isAbort(reason) || reason instanceof AppError) {
		return reason;
	}

	if (reason instanceof Error && reason.name === 'TimeoutError') {
		return network([`Timed out waiting for ${origin}.`, 'Try again.'], reason);
	}

	return new DOMException('The request was aborted.', 'AbortError');
}

function explainCode(code: string, origin: string): Explained {
	switch (code) {
		case 'ECONNREFUSED':
			return [`Nothing is listening on ${origin}.`, 'Check the address, and that the server is running.'];
		case 'ENOTFOUND':
			return [`Can't resolve ${new URL(origin).hostname}.`, 'Check the address. Are you online?'];
		case 'EAI_AGAIN':
			return [`Can't resolve ${new URL(origin).hostname} right now.`, 'Are you online? Try again.'];
		case 'EHOSTUNREACH':
		case 'ENETUNREACH':
		case 'ENETDOWN':
			return [`Can't reach ${origin}.`, 'Check your network connection.'];
		case 'UND_ERR_CONNECT_TIMEOUT':
		case 'ETIMEDOUT':
			return [`Timed out connecting to ${origin}.`, 'Check the address and your network.'];
		case 'UND_ERR_HEADERS_TIMEOUT':
			return [`Timed out waiting for ${origin}.`, 'Try again.'];
		case 'UND_ERR_BODY_TIMEOUT':
			return [`${origin} stopped responding.`, 'Try again.'];
		case 'UND_ERR_SOCKET':
		case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
		case 'UND_ERR_CLOSED':
		case 'UND_ERR_DESTROYED':
		case 'ECONNRESET':
		case 'EPIPE':
			return [`The connection to ${origin} was closed before the response was complete.`, 'Try again.'];
		case 'UND_ERR_HEADERS_OVERFLOW':
			return [`The response headers of ${origin} are too large.`, 'Check the address.'];
		case 'CERT_HAS_EXPIRED':
			return [`The certificate of ${origin} has expired.`, 'Ask its administrator to renew it.'];
		case 'CERT_NOT_YET_VALID':
			return [`The certificate of ${origin} is not valid yet.`, 'Check the clock on this machine.'];
		case 'ERR_TLS_CERT_ALTNAME_INVALID':
			return [`The certificate of ${origin} is for another host.`, 'Check the address.'];
		default:
			return explainFamily(code, origin);
	}
}

function explainFamily(code: string, origin: string): Explained {
	if (untrusted.includes(code)) {
		return [
			`The certificate of ${origin} isn't trusted on this machine (${code}).`,
			'If you trust it, set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority.',
		];
	}

	if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code)) {
		return [`TLS failed for ${origin} (${code}).`, 'Check the address, and whether it needs https or http.'];
	}

	if (code.startsWith('HPE_')) {
		return [`${origin} doesn't speak HTTP (${code}).`, 'Check the address and the port.'];
	}

	if (/^(?:Z_|ERR_BROTLI|ERR__?ERROR_FORMAT|ERR_PADDING)/.test(code)) {
		return [`The compressed response of ${origin} is damaged (${code}).`, 'Try again.'];
	}

	return [`The connection to ${origin} failed (${code}).`, 'Check your network and try again.'];
}
