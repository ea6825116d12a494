import {isOver} from '../../contract/resources/environment.ts';
import {timingSafeEquals} from '../../core/secrets/timing-safe-equals.ts';
import {createToken, hashToken} from '../accounts/token.ts';
import type {DataAccess} from '../kit/services.ts';
import type {EnvironmentRow} from './environment-transition.ts';

type Creator = {readonly userId: string; readonly apiKeyId: string | null};

/** Creates the token of an environment, which is only returned here; null if that has ended. */
export async function createExecuteToken(
	{database}: DataAccess,
	{id, state, expires_at}: Pick<EnvironmentRow, 'id' | 'state' | 'expires_at'>,
	{userId, apiKeyId}: Creator,
): Promise<string | null> {
	if (isOver(state) || expires_at === null) {
		return null;
	}

	const {token, hash} = createToken('execute');
	await database
		.insertInto('execute_tokens')
		.values({environment_id: id, token_hash: hash, user_id: userId, api_key_id: apiKeyId, expires_at})
		.execute();
	return token.reveal();
}

/**
 * Returns the id of the user that created an environment, given its token. Returns undefined if the token is another's or
 * expired, its API key was revoked, the user was suspended or left the organization, or that
 * is suspended.
 */
export async function findExecuteTokenUser(
	{database, now}: DataAccess,
	environmentId: string,
	token: string,
): Promise<string | undefined> {
	const row = await database
		.selectFrom('execute_tokens')
		.innerJoin('environments', 'environments.id', 'environment_id')
		.innerJoin('organizations', 'organizations.id', 'environments.organization_id')
		.innerJoin('users', 'users.id', 'execute_tokens.user_id')
		.innerJoin('members', join =>
			join
				.onRef('members.user_id', '=', 'users.id')
				.onRef('members.organization_id', '=', 'environments.organization_id'),
		)
		.leftJoin('api_keys', 'api_keys.id', 'api_key_id')
		.select(['token_hash', 'execute_tokens.user_id'])
		.where('environment_id', '=', environmentId)
		.where('execute_tokens.expires_at', '>', now().toISOString())
		.where('users.suspended_at', 'is', null)
		.where('organizations.suspended_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.executeTakeFirst();
	return row && timingSafeEquals(hashToken(token), row.token_hash) ? row.user_id : undefined;
}
