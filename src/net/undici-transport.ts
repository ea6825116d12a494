import type {Readable} from 'node:stream';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isLoopback, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {assertNoCredential, type Credential, credentialHeader} from './credential.ts';
import {maskBytes, maskText} from './mask-secret.ts';
import {type Exchange, explainFailure} from './network-error.ts';
import {readableBody} from './response-body.ts';
import type {Transport, TransportRequest, TransportResponse} from './transport.ts';
import {type ConnectionPool, hasProxy, openPool} from './undici-agent.ts';

/** A transport that keeps connections open between requests. */
export type HttpTransport = Transport & {
	/** Ends all connections, also those in use. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** Attached to requests to its own origin, and to no other (SAFETY 6). */
	readonly credential?: Credential | undefined;
	/** Where proxies are looked up. */
	readonly env?: Environment;
	readonly userAgent: string;
	/** Allows plain http beyond this machine (SAFETY 9). The caller has warned. */
	readonly insecureHttp?: boolean;
	/** Longest wait for a connection, in milliseconds. */
	readonly connectTimeout?: number;
	/** Longest wait for an answer to begin, in milliseconds; 5 minutes for a POST, 1 for the rest: models think first. */
	readonly headersTimeout?: number;
	/** Longest silence in the middle of an answer, in milliseconds. */
	readonly idleTimeout?: number;
};

const mostRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * The transport over undici, which is loaded with the first request. Redirects: only a GET to the same origin is
 * followed, three times at most (SAFETY 7). Throws `AppError`: `usage` for an address that may not be used, `network` for
 * everything that keeps an answer from coming, and what the signal was aborted with. An answer's status is never thrown.
 * A credential that the far end repeats comes out as `***` (SAFETY 8).
 */
export function createTransport({
	credential,
	env = {},
	userAgent,
	insecureHttp = false,
	connectTimeout = 10_000,
	headersTimeout,
	idleTimeout = 120_000,
}: Options): HttpTransport {
	let opening: Promise<ConnectionPool> | undefined;

	const send = async (request: TransportRequest, url: URL): Promise<Answer> => {
		const {method, headers = {}, body, signal} = request;
		const origin = originOf(url.href);
		const exchange = {origin, signal, proxied: hasProxy(env) && !isLoopback(url)};
		try {
			signal?.throwIfAborted();
			opening ??= openPool({env, connectTimeout});
			const pool = await opening;
			const {
				statusCode,
				headers: answered,
				body: raw,
			} = await pool.request({
				origin,
				path: `${url.pathname}${url.search}`,
				method,
				headers: {
					'user-agent': userAgent,
					'accept-encoding': 'gzip, br',
					...lowerCased(headers),
					...credentialHeader(credential, origin),
				},
				body: body ?? null,
				signal,
				headersTimeout: request.headersTimeout ?? headersTimeout ?? (method === 'POST' ? 300_000 : 60_000),
				bodyTimeout: request.idleTimeout ?? idleTimeout,
			});
			return {status: statusCode, headers: flat(answered), raw, exchange};
		} catch (error) {
			throw explainFailure(error, exchange);
		}
	};

	const transport: Transport = async request => {
		assertNoCredential(request.headers ?? {});
		let url = checkUrl(request.url, insecureHttp);
		for (let followed = 0; ; followed += 1) {
			const answer = await send(request, url);
			const target = redirects.includes(answer.status) ? answer.headers['location'] : undefined;
			if (target === undefined) {
				const {body, ...head} = await toResponse(answer);
				return {...head, body: credential ? maskBytes(body, credential.secret) : body};
			}

			answer.raw.on('error', () => undefined).destroy();
			url = follow({method: request.method, followed, secret: credential?.secret}, url, target);
		}
	};

	const close = async () => {
		const pool = await opening?.catch(() => undefined);
		await pool?.close();
	};

	return Object.assign(transport, {close});
}

type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly raw: Readable;
	readonly exchange: Exchange;
};

async function toResponse({status, headers, raw, exchange}: Answer): Promise<TransportResponse> {
	const encoding = status === 204 || status === 304 ? '' : (headers['content-encoding'] ?? '');
	return {status, headers, body: await readableBody(raw, encoding, exchange)};
}

function checkUrl(text: string, insecureHttp: boolean): URL {
	originOf(text);
	const url = new URL(text);
	if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url)) {
		throw new AppError('usage', `Refusing plain HTTP to ${url.origin} (anyone on the network could read it).`, {
			hint: 'Use https, or pass --insecure-http.',
		});
	}

	return url;
}

type Redirected = Pick<TransportRequest, 'method'> & {readonly followed: number; readonly secret: Secret | undefined};

/** Where a redirect leads, if it may be followed; throws `network`, with where it wanted to go, if not. */
function follow({method, followed, secret}: Redirected, from: URL, target: string): URL {
	const url = URL.canParse(target, from.href) ? new URL(target, from.href) : undefined;
	if (url && url.origin === from.origin && method === 'GET' && followed < mostRedirects) {
		return url;
	}

	// Without query and user name: those may hold secrets.
	const where = url ? `${url.origin === 'null' ? url.protocol : url.origin}${url.pathname}` : 'an unreadable address';
	const why =
		url?.origin !== from.origin
			? 'another server'
			: method === 'GET'
				? `it is the ${mostRedirects + 1}th redirect in a row`
				: `a ${method} request is not sent twice`;
	throw new AppError(
		'network',
		`${from.origin} redirects to ${maskText(where, secret)}, which is not followed: ${why}.`,
		{
			hint: 'Check the address; if you trust that one, use it instead.',
			permanent: true,
		},
	);
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
