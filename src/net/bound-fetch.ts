import {Readable} from 'node:stream';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isLoopback, isWithin, type Origin} from '../core/origin.ts';
import {type Exchange, explainFailure} from './network-error.ts';
import {isProxied} from './proxy-route.ts';
import {readableBody} from './response-body.ts';
import {openRestedPool} from './rested-pool.ts';
import type {ConnectionPool} from './undici-agent.ts';

type Options = {
	readonly env: Environment;
	readonly userAgent: string;
	/** Allows plain HTTP to other machines (SAFETY 9). */
	readonly insecureHttp: boolean;
	/** `headers` are sent to this server only (SAFETY 6); what a request has itself wins. */
	readonly origin: Origin;
	readonly headers: Readonly<Record<string, string>>;
	/** Counts the bytes of bodies. The body breaks off if it returns false. */
	readonly allows: (bytes: number) => boolean;
};

/** A `fetch` for libraries that need one, with the proxy settings of the user. */
export type BoundFetch = {
	readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
	/** Closes all connections, including those in use. */
	readonly close: () => Promise<void>;
};

const connectTimeoutMs = 10_000;
/** A stream of events may be silent for long; the caller has time limits of its own. */
const idleTimeoutMs = 15 * 60_000;
const withoutBody: readonly number[] = [204, 205, 304];

/**
 * Creates a `fetch`. Never follows a redirect (SAFETY 7): the caller gets it as a response. Throws AppError("usage") for plain
 * HTTP to another machine, AppError("network") if there is no response, and the signal's reason.
 */
export function createBoundFetch(options: Options): BoundFetch {
	let opening: Promise<ConnectionPool> | undefined;
	return {
		async fetch(address, init = {}) {
			const url = new URL(address);
			if (url.protocol === 'http:' && !options.insecureHttp && !isLoopback(url)) {
				throw new AppError('usage', `Refusing plain HTTP to ${url.origin} (anyone on the network could read it).`, {
					hint: 'Use https, or pass --insecure-http.',
				});
			}

			opening ??= openRestedPool({env: options.env, connectTimeoutMs});
			const signal = init.signal ?? undefined;
			const exchange = {origin: url.origin, signal, isProxied: isProxied(options.env, url)};
			try {
				return await send(await opening, url, init, {...options, exchange});
			} catch (error) {
				throw explainFailure(error, exchange);
			}
		},
		async close() {
			const pool = await opening?.catch(() => undefined);
			await pool?.close();
		},
	};
}

type Sending = Options & {readonly exchange: Exchange};

async function send(
	pool: ConnectionPool,
	url: URL,
	{method = 'GET', headers: given, body}: RequestInit,
	{userAgent, origin, headers, allows, exchange}: Sending,
): Promise<Response> {
	const response = await pool.request({
		origin: url.origin,
		path: `${url.pathname}${url.search}`,
		method: method as 'GET',
		headers: {
			'user-agent': userAgent,
			'accept-encoding': 'gzip, br',
			...(isWithin(url, origin) ? lowerCased(headers) : {}),
			...lowerCased(Object.fromEntries(new Headers(given))),
		},
		body: body === undefined || body === null ? null : await bytesOf(body),
		...(exchange.signal && {signal: exchange.signal}),
		headersTimeout: idleTimeoutMs,
		bodyTimeout: idleTimeoutMs,
	});
	const head = new Headers();
	for (const [name, value] of Object.entries(response.headers)) {
		for (const each of [value ?? []].flat()) {
			head.append(name, each);
		}
	}

	const encoding = head.get('content-encoding') ?? '';
	head.delete('content-encoding');
	head.delete('content-length');
	if (withoutBody.includes(response.statusCode) || method === 'HEAD') {
		response.body.on('error', () => undefined).destroy();
		return new Response(null, {status: response.statusCode, headers: head});
	}

	const content = await readableBody(response.body, encoding, exchange);
	const stream = Readable.toWeb(Readable.from(counted(content, allows))) as ReadableStream;
	return new Response(stream, {status: response.statusCode, headers: head});
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function bytesOf(body: NonNullable<RequestInit['body']>): Promise<string | Uint8Array> {
	return typeof body === 'string' ? body : new Uint8Array(await new Response(body).arrayBuffer());
}

async function* counted(content: AsyncIterable<Uint8Array>, allows: Options['allows']): AsyncGenerator<Uint8Array> {
	for await (const chunk of content) {
		if (!allows(chunk.length)) {
			throw new AppError('network', 'The server sent more than anything could read.', {permanent: true});
		}

		yield chunk;
	}
}
