import type {Readable} from 'node:stream';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {once} from '../core/once.ts';
import {isLoopback, parseServerUrl} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {assertNoCredential, type Credential, credentialHeader} from './credential.ts';
import {createBytesMask, maskText} from './mask-secret.ts';
import {type Exchange, explainFailure} from './network-error.ts';
import {isProxied} from './proxy-route.ts';
import {readableBody} from './response-body.ts';
import {openRestedPool} from './rested-pool.ts';
import type {Transport, TransportRequest, TransportResponse, WarmTransport} from './transport.ts';
import type {ConnectionPool} from './undici-agent.ts';

/** A transport that keeps connections open between requests. */
export type HttpTransport = WarmTransport & {
	/** Closes all connections, including those in use. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** Sent to its own server only (SAFETY 6). */
	readonly credential?: Credential | undefined;
	/** Has the proxy settings. */
	readonly env?: Environment;
	readonly userAgent: string;
	/** Allows plain HTTP to other machines (SAFETY 9). The caller has warned the user. */
	readonly insecureHttp?: boolean;
	readonly connectTimeoutMs?: number;
	/** How long status and headers may take; by default 5 minutes for a POST, because models think first, else 1. */
	readonly headersTimeoutMs?: number;
	/** How long a body may pause. */
	readonly idleTimeoutMs?: number;
};

const maxRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Returns the transport over undici, which is loaded with the first request. Of redirects only those of a GET to the same
 * origin are followed, at most three (SAFETY 7); one that leaves the path of the credential's server goes on without it. Throws AppError("usage") for an address that may not be used,
 * AppError("network") if no response comes, and the signal's reason; it never throws for a status. A credential that the
 * server repeats is replaced by `***` (SAFETY 8).
 */
export function createTransport(options: Options): HttpTransport {
	const {credential, env = {}, insecureHttp = false, connectTimeoutMs = 10_000} = options;
	let opening: Promise<ConnectionPool> | undefined;
	const openOnce = () => {
		opening ??= openRestedPool({env, connectTimeoutMs});
		return opening;
	};

	const transport: Transport = async request => {
		assertNoCredential(request.headers ?? {});
		let url = checkUrl(request.url, insecureHttp);
		for (let followed = 0; ; followed += 1) {
			const answer = await send(request, url, options, openOnce);
			const target = redirects.includes(answer.status) ? answer.headers['location'] : undefined;
			if (target === undefined) {
				return toResponse(answer, credential?.secret);
			}

			answer.raw.on('error', () => undefined).destroy();
			url = follow({method: request.method, followed, secret: credential?.secret}, url, target);
		}
	};

	const rehearseOnce = once(async () => rehearse(await openOnce()));
	const warm = async (address: string) => {
		(await openOnce()).warm(checkUrl(address, insecureHttp).origin);
		await rehearseOnce();
	};

	const close = async () => {
		const pool = await opening?.catch(() => undefined);
		await pool?.close();
	};

	return Object.assign(transport, {warm, close});
}

/** Sends a request to nothing, without a credential, and reads the empty answer, so that the next one is faster. */
async function rehearse(pool: ConnectionPool): Promise<void> {
	// What the user types comes first.
	await new Promise(resolve => setImmediate(resolve));
	const request: TransportRequest = {
		method: 'POST',
		url: 'http://localhost/',
		headers: {'content-type': 'application/json'},
		body: '{}',
	};
	const open = async () => ({...pool, request: pool.rehearse});
	const answer = await send(request, new URL(request.url), {userAgent: 'rehearsal'}, open);
	for await (const _ of (await toResponse(answer)).body) {
		// It is empty.
	}
}

/** Sends one request to `url`, without following a redirect. Throws as `explainFailure` returns. */
async function send(
	request: TransportRequest,
	url: URL,
	options: Options,
	open: () => Promise<ConnectionPool>,
): Promise<Answer> {
	const {method, body, signal} = request;
	const {env = {}, headersTimeoutMs, idleTimeoutMs = 120_000} = options;
	const {origin} = url;
	const exchange = {origin, signal, isProxied: isProxied(env, url)};
	try {
		signal?.throwIfAborted();
		const pool = await open();
		const response = await pool.request({
			origin,
			path: `${url.pathname}${url.search}`,
			method,
			headers: headersFor(request, url, options),
			body: body ?? null,
			signal,
			headersTimeout: request.headersTimeoutMs ?? headersTimeoutMs ?? (method === 'POST' ? 300_000 : 60_000),
			bodyTimeout: request.idleTimeoutMs ?? idleTimeoutMs,
		});
		return {status: response.statusCode, headers: flat(response.headers), raw: response.body, exchange};
	} catch (error) {
		throw explainFailure(error, exchange);
	}
}

function headersFor({headers = {}}: TransportRequest, url: URL, {userAgent, credential}: Options) {
	return {
		'user-agent': userAgent,
		'accept-encoding': 'gzip, br',
		...lowerCased(headers),
		...credentialHeader(credential, url),
	};
}

type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly raw: Readable;
	readonly exchange: Exchange;
};

async function toResponse({status, headers, raw, exchange}: Answer, secret?: Secret): Promise<TransportResponse> {
	const encoding = status === 204 || status === 304 ? '' : (headers['content-encoding'] ?? '');
	return {status, headers, body: await readableBody(raw, encoding, exchange, secret && createBytesMask(secret))};
}

function checkUrl(text: string, insecureHttp: boolean): URL {
	parseServerUrl(text);
	const url = new URL(text);
	if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url)) {
		throw new AppError('usage', `Refusing plain HTTP to ${url.origin} (anyone on the network could read it).`, {
			hint: 'Use https, or pass --insecure-http.',
		});
	}

	return url;
}

type Redirected = Pick<TransportRequest, 'method'> & {readonly followed: number; readonly secret: Secret | undefined};

/** Returns the target of a redirect that may be followed. Throws AppError("network") with the target if it may not. */
function follow({method, followed, secret}: Redirected, from: URL, target: string): URL {
	const url = URL.canParse(target, from.href) ? new URL(target, from.href) : undefined;
	if (url && url.origin === from.origin && method === 'GET' && followed < maxRedirects) {
		return url;
	}

	// Without query and user name, which may hold secrets.
	const where = url ? `${url.origin === 'null' ? url.protocol : url.origin}${url.pathname}` : 'an invalid address';
	const why =
		url?.origin !== from.origin
			? 'another server'
			: method === 'GET'
				? `more than ${maxRedirects} redirects in a row`
				: `a ${method} request is never sent twice`;
	throw new AppError('network', `Not following the redirect of ${from.origin} to ${maskText(where, secret)}: ${why}.`, {
		hint: 'Check the address. If you trust the new one, use it instead.',
		permanent: true,
	});
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]) =>
			value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value] as const],
		),
	);
}
