import {AppError, isAbort} from '../core/error.ts';

type Explained = readonly [message: string, hint: string];

/** What a failure is explained from. */
export type Exchange = {
	/** Origin of the request. */
	readonly origin: string;
	readonly signal: AbortSignal | undefined;
	/** True where the request may have gone through a proxy. */
	readonly isProxied: boolean;
};

const untrusted: readonly string[] = [
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/**
 * Turns whatever a request or its body threw into an error that a person understands: an `AppError` (`network`) with the
 * cause in words, an abort of the caller as its own `AbortError`, and what is neither as it came, for it is a bug.
 */
export function explainFailure(error: unknown, {origin, signal, isProxied}: Exchange): unknown {
	if (signal?.aborted) {
		return abortOf(signal, origin);
	}

	if (error instanceof AppError || !(error instanceof Error)) {
		return error;
	}

	const refused = /^Proxy response \((\d+)\)/.exec(error.message);
	if (refused) {
		return network([`The proxy refused a connection to ${origin} (status ${refused[1]}).`, checkProxy], error);
	}

	const code = codeOf(error);
	if (!code || code === 'UND_ERR_INVALID_ARG') {
		return error;
	}

	const [message, hint] = explainCode(code, origin);
	return network([message, isProxied ? `${hint} ${checkProxy}` : hint], error, lasting.test(code));
}

/**
 * What kept a tunnel from being opened, told of the proxy at `proxy`, an origin: the far end was never asked. Returns an
 * `AppError` (`network`), and what is no failure of the network as it came.
 */
export function explainProxyFailure(error: unknown, proxy: string): unknown {
	const explained = explainFailure(error, {origin: proxy, signal: undefined, isProxied: false});
	if (!(explained instanceof AppError)) {
		return explained;
	}

	const {message, hint = checkProxy, permanent} = explained;
	const what = `There is no way through the proxy. ${message}`;
	return network([what, permanent ? hint : checkProxy], explained, permanent);
}

/** What stands the same at the next try: certificates, what is no HTTP, headers too large; not an early end. */
const lasting =
	/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|UND_ERR_HEADERS_OVERFLOW|HPE_(?!INVALID_EOF))/;

function codeOf(error: Error): string | undefined {
	const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
	// undici's parser leaves the code out where its own message says it all.
	return code ?? (error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined);
}

const checkProxy = 'Check the proxy that HTTPS_PROXY or HTTP_PROXY names.';

function network([message, hint]: Explained, cause: Error, permanent = false): AppError {
	return new AppError('network', message, {hint, cause, permanent});
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
			return [`Nothing listens at ${origin}.`, 'Check the address and that the server runs.'];
		case 'ENOTFOUND':
			return [`Can't resolve ${new URL(origin).hostname}.`, 'Check the address. Are you online?'];
		case 'EAI_AGAIN':
			return [`Can't resolve ${new URL(origin).hostname} now.`, 'Are you online? Try again.'];
		case 'EHOSTUNREACH':
		case 'ENETUNREACH':
		case 'ENETDOWN':
			return [`Can't reach ${origin}.`, 'Check your connection to the network.'];
		case 'UND_ERR_CONNECT_TIMEOUT':
		case 'ETIMEDOUT':
			return [`Timed out connecting to ${origin}.`, 'Check the address and your network.'];
		case 'UND_ERR_HEADERS_TIMEOUT':
			return [`Timed out waiting for ${origin}.`, 'Try again.'];
		case 'UND_ERR_BODY_TIMEOUT':
			return [`${origin} stopped in the middle of its answer.`, 'Try again.'];
		case 'UND_ERR_SOCKET':
		case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
		case 'UND_ERR_CLOSED':
		case 'UND_ERR_DESTROYED':
		case 'ECONNRESET':
		case 'EPIPE':
			return [`The connection to ${origin} was closed before the answer was complete.`, 'Try again.'];
		case 'UND_ERR_HEADERS_OVERFLOW':
			return [`${origin} answered with headers that are too large.`, 'Check the address.'];
		case 'CERT_HAS_EXPIRED':
			return [`The certificate of ${origin} has expired.`, 'Ask those who run the server to renew it.'];
		case 'CERT_NOT_YET_VALID':
			return [`The certificate of ${origin} is not valid yet.`, 'Check the clock of this machine.'];
		case 'ERR_TLS_CERT_ALTNAME_INVALID':
			return [`The certificate of ${origin} is for another host.`, 'Check the address.'];
		default:
			return explainFamily(code, origin);
	}
}

function explainFamily(code: string, origin: string): Explained {
	if (untrusted.includes(code)) {
		return [
			`The certificate of ${origin} is signed by nobody whom this machine trusts (${code}).`,
			'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, if you trust it.',
		];
	}

	if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code)) {
		return [
			`A secure connection to ${origin} failed (${code}).`,
			'Check the address, and whether it is https or http.',
		];
	}

	if (code.startsWith('HPE_')) {
		return [`What answers at ${origin} does not speak HTTP (${code}).`, 'Check the address and the port.'];
	}

	if (/^(?:Z_|ERR_BROTLI|ERR__?ERROR_FORMAT|ERR_PADDING)/.test(code)) {
		return [`The compressed answer of ${origin} is damaged (${code}).`, 'Try again.'];
	}

	return [`The connection to ${origin} failed (${code}).`, 'Check your network and try again.'];
}
