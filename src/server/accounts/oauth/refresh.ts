import type {AccountServices} from '../account-services.ts';
import {hashToken, kindOfToken} from '../token.ts';
import {oauthError, oauthSuccess} from './oauth-response.ts';
import {issueTokens, revokeFamily} from './tokens.ts';

/**
 * How long a used refresh token may be used again: for a lost response, and for two programs that share a login and
 * refresh at the same time. After that, a second use means that the token was stolen, and ends the login (RFC 9700,
 * section 4.14.2).
 */
const graceMs = 10_000;

/** Implements the refresh_token grant with rotation (RFC 6749, section 6). */
export async function refresh(
	{database, now}: Pick<AccountServices, 'database' | 'now'>,
	{refresh_token: given}: Readonly<Record<string, string>>,
): Promise<Response> {
	if (!given) {
		return oauthError('invalid_request', 'refresh_token is missing.');
	}

	const time = now();
	const answer =
		kindOfToken(given) === 'refresh' &&
		(await database.transaction().execute(async queries => {
			const found = await queries
				.selectFrom('tokens')
				.innerJoin('users', 'users.id', 'tokens.user_id')
				.leftJoin('api_keys', 'api_keys.id', 'tokens.api_key_id')
				.select(['tokens.id', 'tokens.user_id', 'client_id', 'family_id', 'program', 'api_key_id', 'used_at'])
				.where('token_hash', '=', hashToken(given))
				.where('kind', '=', 'refresh')
				.where('tokens.revoked_at', 'is', null)
				.where('api_keys.revoked_at', 'is', null)
				.where('tokens.expires_at', '>', time.toISOString())
				.where('suspended_at', 'is', null)
				.executeTakeFirst();
			if (!found) {
				return undefined;
			}

			const {id, used_at, program, user_id: userId, client_id: clientId, family_id, api_key_id: apiKeyId} = found;
			// `abs`: a clock that was set back must not extend the grace period.
			if (used_at !== null && Math.abs(time.getTime() - Date.parse(used_at)) > graceMs) {
				await revokeFamily(queries, time, family_id);
				return undefined;
			}

			// Also written if it was used before: the row lock keeps the login from ending until the new tokens are
			// stored.
			const {numUpdatedRows} = await queries
				.updateTable('tokens')
				.set({used_at: used_at ?? time.toISOString()})
				.where('id', '=', id)
				.where('revoked_at', 'is', null)
				.executeTakeFirstOrThrow();
			if (numUpdatedRows === 0n) {
				return undefined;
			}

			return await issueTokens(queries, time, {id: family_id, userId, clientId, program, apiKeyId});
		}));
	return answer ? oauthSuccess(answer) : oauthError('invalid_grant', 'The login has ended. Log in again.');
}
