import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {type Origin, originOf} from '../core/origin.ts';
import {readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';

/** Where a server gives out tokens and takes them back. */
export type AuthorizationServer = {
	readonly server: Origin;
	/** At the server's own origin, as the next one is. */
	readonly deviceEndpoint: string;
	readonly tokenEndpoint: string;
	/** As the metadata has it, so that its origin is still to be checked; left out where the server revokes nothing. */
	readonly revocationEndpoint?: string;
};

const path = '/.well-known/oauth-authorization-server';
const maxBytes = 256 * 1024;

/**
 * Reads the metadata of a server (RFC 8414 section 3); undefined where it has none, or no device flow. `transport` has no
 * credential. Throws `auth` where the metadata is of another server: a login is never carried to a second origin
 * (SAFETY 6). Throws `network` where nothing answers.
 */
export async function findAuthorizationServer(
	server: Origin,
	transport: Transport,
	signal: AbortSignal,
): Promise<AuthorizationServer | undefined> {
	const headers = {accept: 'application/json'};
	const response = await transport({method: 'GET', url: `${server}${path}`, headers, signal, headersTimeoutMs: 15_000});
	const metadata = parseJson(await readText(response, {from: server, maxBytes}));
	if (response.status !== 200 || !isJsonObject(metadata)) {
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

	// The issuer is compared, too: metadata that was meant for another server is not used (RFC 8414 section 3.3).
	for (const address of [issuer, device, token]) {
		if (typeof address !== 'string' || !URL.canParse(address) || new URL(address).origin !== server) {
			throw new AppError('auth', `${server} leads the login to another server, ${shown(address)}.`, {
				hint: `Log in with an API key: \`login --server ${server} --with-token\``,
			});
		}
	}

	return {
		server: originOf(server),
		deviceEndpoint: device,
		tokenEndpoint: token,
		...(typeof revocation === 'string' && {revocationEndpoint: revocation}),
	};
}

function shown(address: unknown): string {
	if (typeof address !== 'string') {
		return 'which it does not name';
	}

	return URL.canParse(address) ? new URL(address).host || 'an address without a host' : 'an unreadable address';
}
