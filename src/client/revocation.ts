import {AppError} from '../core/error.ts';
import {isWithin} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import type {AuthorizationServer} from './authorization-server.ts';
import {clientId} from './tokens.ts';

type Options = {
	/** Has no credential: the token is in the form. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
};

type Held = {readonly accessToken: Secret; readonly refreshToken: Secret | undefined};

const maxBytes = 256 * 1024;

/**
 * Asks the server to revoke the tokens of a login, the refresh token first, because it lives longer (RFC 7009 section 2).
 * Both secrets are opened. Throws AppError("failed"), AppError("auth") or AppError("network") with a message that can follow
 * a colon. Nothing is sent to another server (SAFETY 6).
 */
export async function revokeTokens(
	{server, revocationEndpoint: url}: AuthorizationServer,
	{accessToken, refreshToken}: Held,
	{transport, signal}: Options,
): Promise<void> {
	if (url === undefined) {
		throw new AppError('failed', 'the server doesn’t offer revocation');
	}

	if (!isWithin(url, server)) {
		throw new AppError('auth', 'the server’s revocation address is on another host; nothing was sent');
	}

	const revoke = async (token: Secret, hint: 'access_token' | 'refresh_token') => {
		const response = await transport({
			method: 'POST',
			url,
			headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
			body: new URLSearchParams({token: token.reveal(), token_type_hint: hint, client_id: clientId}).toString(),
			signal,
			headersTimeoutMs: 5000,
		});
		await readText(response, {from: server, maxBytes});
		// An invalid token counts as revoked (RFC 7009 section 2.2).
		if (response.status < 200 || response.status > 299) {
			throw new AppError('network', `the server answered ${response.status}`);
		}
	};

	if (refreshToken) {
		await revoke(refreshToken, 'refresh_token');
	}

	await revoke(accessToken, 'access_token');
}
