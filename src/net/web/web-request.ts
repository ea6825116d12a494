import type {LookupAddress} from 'node:dns';
import type {LookupFunction} from 'node:net';
import {abortable} from '../../core/abortable.ts';
import type {Environment} from '../../core/environment.ts';
import {originOf} from '../../core/origin.ts';
import {type Credential, credentialHeader} from '../credential.ts';
import {explainFailure} from '../network-error.ts';
import {isProxied} from '../proxy-route.ts';
import {readableBody} from '../response-body.ts';
import {openPool} from '../undici-agent.ts';
import {type AddressKind, kindOfAddress, kindOfHost} from './address-kind.ts';

/** One request to any server. It never has a credential of the user, but that of a sandbox. */
export type WebRequest = {
	readonly method: string;
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	/** Sent only to the service that it is for (SAFETY 6). */
	readonly credential?: Credential | undefined;
	readonly body: string | undefined;
	/** Where the host's addresses may lead; no other address is connected to, but those that the user agreed to. */
	readonly kind: AddressKind;
	readonly agreed: readonly string[];
	/** Most bytes of the body that are read, after decompression. */
	readonly maxBytes: number;
	readonly signal: AbortSignal;
};

export type WebResponse = {
	readonly status: number;
	/** Header names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly bytes: Buffer;
	/** True if the body is longer than `bytes`. */
	readonly isCut: boolean;
};

/** An address of the host that leads elsewhere than the request may go. Nothing was connected to. */
export type Elsewhere = {readonly elsewhere: AddressKind; readonly address: string};

/**
 * Sends one request, whose redirects are not followed. Throws `AppError("network")` if there is no response, and the
 * signal's reason.
 */
export type SendWeb = (request: WebRequest) => Promise<WebResponse | Elsewhere>;

/** Returns all addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

type Options = {
	/** Has the proxy settings. A proxy resolves names itself; those that this machine resolves too are checked. */
	readonly env: Environment;
	readonly userAgent: string;
	readonly resolve?: Resolve;
};

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;
const lookupTimeoutMs = 3000;

/**
 * Returns what sends requests to servers that a model names. The addresses of a host are checked in the same lookup that
 * the connection uses, so that a name can't lead elsewhere a moment later.
 */
export function createWebRequests({env, userAgent, resolve = lookupAll}: Options): SendWeb {
	return async ({method, url, headers, credential, body, kind, agreed, maxBytes, signal}) => {
		const written = kindOfHost(url.hostname);
		if (written !== undefined && written !== kind) {
			return {elsewhere: written, address: url.hostname};
		}

		let elsewhere: Elsewhere | undefined;
		const check = async (hostname: string) => {
			const addresses = await resolve(hostname);
			const allowed = addresses.filter(({address}) => kindOfAddress(address) === kind || agreed.includes(address));
			const isAgreed = addresses.some(({address}) => agreed.includes(address));
			const other = addresses.find(
				each => !allowed.includes(each) && !(isAgreed && kindOfAddress(each.address) !== 'forbidden'),
			);
			elsewhere = other && {elsewhere: kindOfAddress(other.address), address: other.address};
			return other ? [] : allowed;
		};
		const throughProxy = isProxied(env, url);
		if (throughProxy && written === undefined) {
			// The proxy resolves the name. What this machine knows of it counts too, if it knows anything.
			await withTimeout(check(url.hostname), lookupTimeoutMs);
			if (elsewhere) {
				return elsewhere;
			}
		}

		const exchange = {origin: url.origin, signal, isProxied: throughProxy};
		const pool = await openPool({env, connectTimeoutMs, lookup: lookupWith(check)});
		try {
			signal.throwIfAborted();
			// undici notices an abort only once it is connected.
			const response = await abortable(
				pool.request({
					origin: originOf(url.origin),
					path: `${url.pathname}${url.search}`,
					method,
					headers: {
						'user-agent': userAgent,
						'accept-encoding': 'gzip, br',
						...headers,
						...credentialHeader(credential, url),
					},
					body: body ?? null,
					signal,
					headersTimeout: idleTimeoutMs,
					bodyTimeout: idleTimeoutMs,
				}),
				signal,
			);
			const received = flat(response.headers);
			const hasBody = method !== 'HEAD' && response.statusCode !== 204 && response.statusCode !== 304;
			const encoding = hasBody ? (received['content-encoding'] ?? '') : '';
			const content = await readableBody(response.body, encoding, exchange);
			return {status: response.statusCode, headers: received, ...(await readUpTo(content, maxBytes))};
		} catch (error) {
			if (elsewhere && !signal.aborted) {
				return elsewhere;
			}

			throw explainFailure(error, exchange);
		} finally {
			// Not awaited: a tunnel that a proxy doesn't open closes at its own timeout only.
			void pool.close().catch(() => undefined);
		}
	};
}

/** Resolves when the work is done, has failed, or takes too long. */
async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const over = new Promise<void>(resolve => {
		timer = setTimeout(resolve, timeoutMs);
	});
	await Promise.race([work.catch(() => undefined), over]);
	clearTimeout(timer);
}

/** Returns the lookup of a connection, which connects to nothing but what `check` returns. */
function lookupWith(check: (hostname: string) => Promise<readonly LookupAddress[]>): LookupFunction {
	return (hostname, {all}, callback) => {
		check(hostname).then(
			addresses => {
				const [first] = addresses;
				if (!first) {
					callback(Object.assign(new Error(`No address of ${hostname}`), {code: 'ENOTFOUND'}), '', 0);
				} else if (all) {
					callback(null, [...addresses]);
				} else {
					callback(null, first.address, first.family);
				}
			},
			(error: NodeJS.ErrnoException) => callback(error, '', 0),
		);
	};
}

async function lookupAll(hostname: string): Promise<readonly LookupAddress[]> {
	const {lookup} = await import('node:dns/promises');
	return lookup(hostname, {all: true});
}

/** Reads a body up to a limit; ending the iteration early closes the connection. */
async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number) {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		const room = maxBytes - length;
		chunks.push(chunk.subarray(0, room));
		length += Math.min(chunk.length, room);
		if (chunk.length > room) {
			return {bytes: Buffer.concat(chunks), isCut: true};
		}
	}

	return {bytes: Buffer.concat(chunks), isCut: false};
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
	);
}
