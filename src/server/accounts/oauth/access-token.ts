import type {Principal} from '../../kit/authorize.ts';
import type {AccountServices} from '../account-services.ts';

/**
 * Returns the owner of an access token, given its hash. Returns undefined if the token is expired or revoked, its user
 * is suspended, or the API key that opened its login is revoked (SAFETY 26).
 */
export async function findAccessToken(
	{database, now}: Pick<AccountServices, 'database' | 'now'>,
	hash: string,
): Promise<Principal | undefined> {
	const found = await database
		.selectFrom('tokens')
		.innerJoin('users', 'users.id', 'tokens.user_id')
		.leftJoin('api_keys', 'api_keys.id', 'tokens.api_key_id')
		.select(['tokens.user_id', 'tokens.api_key_id'])
		.where('token_hash', '=', hash)
		.where('kind', '=', 'access')
		.where('tokens.revoked_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.where('tokens.expires_at', '>', now().toISOString())
		.where('suspended_at', 'is', null)
		.executeTakeFirst();
	return found && {userId: found.user_id, apiKeyId: found.api_key_id};
}
