import type {PublicRequest} from '../../kit/route.ts';
import type {AccountServices} from '../account-services.ts';
import {hashToken, kindOfToken} from '../token.ts';
import {readClientForm} from './client-form.ts';
import {oauthError} from './oauth-response.ts';
import {revokeFamily} from './tokens.ts';

/** Ends the login of an access or refresh token (RFC 7009, section 2.1). An unknown token is a success, too. */
export async function revokeToken({database, now}: AccountServices, {request}: PublicRequest): Promise<Response> {
	const form = await readClientForm(request);
	if (form instanceof Response) {
		return form;
	}

	const {token} = form;
	if (!token) {
		return oauthError('invalid_request', 'token is missing.');
	}

	const kind = kindOfToken(token);
	if (kind === 'api-key') {
		return oauthError('unsupported_token_type', 'An API key is revoked by its id, at /api/v1/user/api-keys.');
	}

	const found =
		kind === 'access' || kind === 'refresh'
			? await database
					.selectFrom('tokens')
					.select('family_id')
					.where('token_hash', '=', hashToken(token))
					.executeTakeFirst()
			: undefined;
	if (found) {
		await database.transaction().execute(transaction => revokeFamily(transaction, now(), found.family_id));
	}

	return new Response(null, {headers: {'cache-control': 'no-store'}});
}
