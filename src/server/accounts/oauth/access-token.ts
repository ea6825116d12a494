import type {Expression} from 'kysely';
import type {Queries} from '../../database/tables.ts';

/**
 * Selects the owner of an access token, given its hash, and the API key that opened its login. Selects nothing if the
 * token is expired or revoked, its user is suspended, or that API key is revoked (SAFETY 26).
 */
export function selectAccessToken(queries: Queries, hash: Expression<string>, at: Expression<string>) {
	return queries
		.selectFrom('tokens')
		.innerJoin('users', 'users.id', 'tokens.user_id')
		.leftJoin('api_keys', 'api_keys.id', 'tokens.api_key_id')
		.select(['tokens.api_key_id', 'tokens.user_id', 'api_keys.last_used_at'])
		.where('token_hash', '=', hash)
		.where('kind', '=', 'access')
		.where('tokens.revoked_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.where('tokens.expires_at', '>', at)
		.where('suspended_at', 'is', null);
}
