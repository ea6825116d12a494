import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {isWithin, type Origin, profileNameOf} from '../core/origin.ts';
import {readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import {refuse} from './refusal.ts';

/** The endpoints of a server that issue and revoke tokens. */
export type AuthorizationServer = {
	readonly server: Origin;
	/** Of the server itself, like `tokenEndpoint`. */
	readonly deviceEndpoint: string;
	readonly tokenEndpoint: string;
	/** As in the metadata: it isn't checked yet. Undefined if the server doesn't revoke tokens. */
	readonly revocationEndpoint?: string;
};

const path = '/.well-known/oauth-authorization-server';
const maxBytes = 256 * 1024;

/** Statuses of a server, or of a proxy before it, that is busy or restarting: they don't say what it offers. */
const unavailable: readonly number[] = [429, 502, 503, 504];

/**
 * Returns the metadata of a server; undefined if it has none, or no device flow. `transport` has no credential. A server with a
 * path is asked below it, and at its host as RFC 8414, section 3.1, says: what a proxy passes on to it is usually the path
 * alone. Throws AppError("auth") if the metadata points to another server: a login stays at one (SAFETY 6). Throws
 * AppError("network") if there is no response, or the server is unavailable: a login that can't be renewed for the moment has
 * not ended.
 */
export async function findAuthorizationServer(
	server: Origin,
	transport: Transport,
	signal: AbortSignal,
): Promise<AuthorizationServer | undefined> {
	const {origin, pathname} = new URL(server);
	const places = pathname === '/' ? [`${server}${path}`] : [`${server}${path}`, `${origin}${path}${pathname}`];
	for (const place of places) {
		const found = await readMetadata(place, server, transport, signal);
		if (found) {
			return found;
		}
	}

	return undefined;
}

async function readMetadata(
	url: string,
	server: Origin,
	transport: Transport,
	signal: AbortSignal,
): Promise<AuthorizationServer | undefined> {
	const headers = {accept: 'application/json'};
	const response = await transport({method: 'GET', url, headers, signal, headersTimeoutMs: 15_000});
	const text = await readText(response, {from: server, maxBytes});
	const {status, headers: received} = response;
	if (unavailable.includes(status)) {
		throw refuse({from: server, status, headers: received, text, now: Date.now()});
	}

	const metadata = parseJson(text);
	if (status !== 200 || !isJsonObject(metadata)) {
		return undefined;
	}

	const {
		issuer,
		device_authorization_endpoint: device,
		token_endpoint: token,
		revocation_endpoint: revocation,
	} = metadata;
	if (typeof device !== 'string' || typeof token !== 'string') {
		return undefined;
	}

	// The issuer is compared, too: metadata of another server must not be used (RFC 8414 section 3.3).
	for (const address of [issuer, device, token]) {
		if (typeof address !== 'string' || !isWithin(address, server)) {
			throw new AppError('auth', `Refusing to log in: ${server} points to another server, ${shown(address, server)}.`, {
				hint: `Log in with an API key: \`login --server ${server} --with-token\``,
			});
		}
	}

	return {
		server,
		deviceEndpoint: device,
		tokenEndpoint: token,
		...(typeof revocation === 'string' && {revocationEndpoint: revocation}),
	};
}

/** Returns the host of an address; its path, too, if it is on the host of the server. */
function shown(address: unknown, server: Origin): string {
	if (typeof address !== 'string') {
		return 'without naming it';
	}

	const url = URL.canParse(address) ? new URL(address) : undefined;
	const {host} = new URL(server);
	return url
		? (url.host === host ? profileNameOf(url) : url.host) || 'an address without a host'
		: 'an invalid address';
}
