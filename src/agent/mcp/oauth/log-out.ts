import type {McpLogin} from '../../../config/config-data.ts';
import type {Secret} from '../../../core/secrets/secret.ts';
import type {OAuthFetch} from './oauth-fetch.ts';

/**
 * Revokes the refresh token, else the access token, at the authorization server (RFC 7009). Returns false if it has no such
 * endpoint or refuses; never throws.
 */
export async function revokeLogin(
	{revocationEndpoint, clientId, refreshToken, accessToken}: McpLogin,
	open: (held: Secret) => Promise<Secret>,
	fetch: OAuthFetch['fetch'],
): Promise<boolean> {
	const held = refreshToken ?? accessToken;
	if (revocationEndpoint === undefined || held === undefined) {
		return false;
	}

	try {
		const token = (await open(held)).reveal();
		const {ok, body} = await fetch(revocationEndpoint, {
			method: 'POST',
			headers: {'content-type': 'application/x-www-form-urlencoded'},
			body: new URLSearchParams({token, client_id: clientId}).toString(),
		});
		await body?.cancel();
		return ok;
	} catch {
		return false;
	}
}
