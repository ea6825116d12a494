import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {originOf} from '../../../core/origin.ts';
import {createBoundFetch} from '../../../net/bound-fetch.ts';
import {kindOfHost} from '../../../net/web/address-kind.ts';

/** Most bytes of a response, and how long one may take. */
const maxBytes = 1024 * 1024;
const timeoutMs = 15_000;

type Options = {
	/** The MCP server, which names its authorization server. */
	readonly server: URL;
	readonly env: Environment;
	readonly version: string;
	readonly signal?: AbortSignal | undefined;
};

/** A `fetch` for metadata and tokens. `close` ends its connections. */
export type OAuthFetch = {
	readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
	readonly close: () => Promise<void>;
};

/** Returns whether a server may name an address for its login: one elsewhere names none of this machine, in any spelling. */
export function mayLeadTo(address: URL, server: URL): boolean {
	const kind = kindOfHost(address.hostname);
	return kind !== 'forbidden' && (kind !== 'machine' || kindOfHost(server.hostname) === 'machine');
}

/**
 * Creates it: https only, no redirects, limited in bytes and time. Metadata is untrusted, so that a server elsewhere can't send
 * requests to this machine.
 */
export function createOAuthFetch({server, env, version, signal}: Options): OAuthFetch {
	let left = maxBytes;
	const {fetch, close} = createBoundFetch({
		env,
		insecureHttp: false,
		headers: {},
		origin: originOf(server.href),
		userAgent: `service/${version}`,
		allows(bytes) {
			left -= bytes;
			return left >= 0;
		},
	});
	return {
		close,
		async fetch(url, init = {}) {
			if (!mayLeadTo(new URL(url), server)) {
				throw new AppError('usage', `${server.host} names an address of this machine for the login. Refused.`);
			}

			// Refreshes of the login share the connection, which may stay open for weeks.
			left = maxBytes;
			const signals = [
				AbortSignal.timeout(timeoutMs),
				...[signal, init.signal].filter(each => each instanceof AbortSignal),
			];
			return fetch(url, {...init, signal: AbortSignal.any(signals)});
		},
	};
}
