import {randomUUID} from 'node:crypto';
import type {DatabaseTransaction, Queries} from '../../database/tables.ts';
import {makeToken} from '../token.ts';

/** Seconds that an access token and a refresh token are valid. Each refresh replaces both. */
const lifetimes = {access: 60 * 60, refresh: 30 * 24 * 60 * 60} as const;

/** What all tokens of one login have in common. */
export type Family = {
	readonly id: string;
	readonly userId: string;
	readonly clientId: string;
	/** What the program said it is. */
	readonly program: string | null;
	/** The API key with which the session was opened that approved the login. */
	readonly apiKeyId: string | null;
};

/** A token response (RFC 6749 section 5.1). */
export type TokenAnswer = {
	readonly access_token: string;
	readonly token_type: 'Bearer';
	readonly expires_in: number;
	readonly refresh_token: string;
};

/** Creates an access token and a refresh token of a login. Only their hashes are stored (SAFETY 26). */
export async function issueTokens(queries: Queries, now: Date, family: Family): Promise<TokenAnswer> {
	const made = {access: makeToken('access'), refresh: makeToken('refresh')};
	const rows = (['access', 'refresh'] as const).map(kind => ({
		id: randomUUID(),
		user_id: family.userId,
		kind,
		token_hash: made[kind].hash,
		client_id: family.clientId,
		family_id: family.id,
		program: family.program,
		api_key_id: family.apiKeyId,
		created_at: now.toISOString(),
		expires_at: new Date(now.getTime() + lifetimes[kind] * 1000).toISOString(),
		used_at: null,
		revoked_at: null,
	}));
	await queries.insertInto('tokens').values(rows).execute();
	return {
		access_token: made.access.token.reveal(),
		token_type: 'Bearer',
		expires_in: lifetimes.access,
		refresh_token: made.refresh.token.reveal(),
	};
}

/** Ends a login: every token of it, used or not. */
export async function revokeFamily(transaction: DatabaseTransaction, now: Date, familyId: string): Promise<void> {
	const tokens = transaction.updateTable('tokens').where('family_id', '=', familyId).where('revoked_at', 'is', null);
	// This waits for a renewal that goes on; what that has made, only the next statement sees.
	await tokens.set(({ref}) => ({client_id: ref('client_id')})).execute();
	await tokens.set({revoked_at: now.toISOString()}).execute();
}
