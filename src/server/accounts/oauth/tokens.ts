import {randomUUID} from 'node:crypto';
import type {Expression} from 'kysely';
import type {DatabaseTransaction, Queries} from '../../database/tables.ts';
import type {PublicRequest} from '../../kit/route.ts';
import type {DataAccess} from '../../kit/services.ts';
import type {AccountServices} from '../account-services.ts';
import {createToken, hashToken, kindOfToken} from '../token.ts';
import {readClientForm} from './client-form.ts';
import {oauthError, oauthSuccess} from './oauth-response.ts';

/** How long an access token and a refresh token are valid. Each refresh replaces both. */
const lifetimeSeconds = {access: 60 * 60, refresh: 30 * 24 * 60 * 60} as const;

/** What all tokens of one login share. */
type Family = {
	readonly id: string;
	readonly userId: string;
	readonly clientId: string;
	/** The name that the program claims; untrusted. */
	readonly program: string | null;
	/** The API key that opened the browser session that approved the login. */
	readonly apiKeyId: string | null;
	/** The session at an OpenID provider that the browser session comes from. */
	readonly providerSession: string | null;
};

/** A token response (RFC 6749, section 5.1). */
type TokenResponse = {
	readonly access_token: string;
	readonly token_type: 'Bearer';
	readonly expires_in: number;
	readonly refresh_token: string;
};

/** Creates an access token and a refresh token for a login. Only their hashes are stored (SAFETY 26). */
export async function issueTokens(queries: Queries, now: Date, family: Family): Promise<TokenResponse> {
	const created = {access: createToken('access'), refresh: createToken('refresh')};
	const rows = (['access', 'refresh'] as const).map(kind => ({
		id: randomUUID(),
		user_id: family.userId,
		kind,
		token_hash: created[kind].hash,
		client_id: family.clientId,
		family_id: family.id,
		program: family.program,
		api_key_id: family.apiKeyId,
		provider_session: family.providerSession,
		created_at: now.toISOString(),
		expires_at: new Date(now.getTime() + lifetimeSeconds[kind] * 1000).toISOString(),
		used_at: null,
		revoked_at: null,
	}));
	await queries.insertInto('tokens').values(rows).execute();
	return {
		access_token: created.access.token.reveal(),
		token_type: 'Bearer',
		expires_in: lifetimeSeconds.access,
		refresh_token: created.refresh.token.reveal(),
	};
}

/** Ends a login by revoking all its tokens, used or not. */
export async function revokeFamily(transaction: DatabaseTransaction, now: Date, familyId: string): Promise<void> {
	const tokens = transaction.updateTable('tokens').where('family_id', '=', familyId).where('revoked_at', 'is', null);
	// Waits for a concurrent refresh. Only the next statement sees the tokens which that created.
	await tokens.set(({ref}) => ({client_id: ref('client_id')})).execute();
	await tokens.set({revoked_at: now.toISOString()}).execute();
}

/**
 * Selects the owner of an access token, given its hash, and the API key that opened its login. Selects nothing if the
 * token is expired or revoked, its user is suspended, or that API key is revoked (SAFETY 26).
 */
export function selectAccessToken(queries: Queries, hash: Expression<string>, at: Expression<string>) {
	return queries
		.selectFrom('tokens')
		.innerJoin('users', 'users.id', 'tokens.user_id')
		.leftJoin('api_keys', 'api_keys.id', 'tokens.api_key_id')
		.select(['tokens.api_key_id', 'tokens.user_id', 'is_administrator', 'requests_per_minute', 'api_keys.last_used_at'])
		.where('token_hash', '=', hash)
		.where('kind', '=', 'access')
		.where('tokens.revoked_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.where('tokens.expires_at', '>', at)
		.where('suspended_at', 'is', null);
}

/**
 * How long a used refresh token may be used again: for a lost response, and for two programs that share a login and
 * refresh at the same time. After that, a second use means that the token was stolen, and ends the login (RFC 9700,
 * section 4.14.2).
 */
const graceMs = 10_000;

/** Implements the refresh_token grant with rotation (RFC 6749, section 6). */
export async function refresh(
	{database, now}: DataAccess,
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
				.select('provider_session')
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
			const {provider_session: providerSession} = found;
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

			return await issueTokens(queries, time, {
				id: family_id,
				userId,
				clientId,
				program,
				apiKeyId,
				providerSession,
			});
		}));
	return answer ? oauthSuccess(answer) : oauthError('invalid_grant', 'The login has ended. Log in again.');
}

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
