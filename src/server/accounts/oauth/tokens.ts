import {randomUUID} from 'node:crypto';
import type {DatabaseTransaction, Queries} from '../../database/tables.ts';
import {createToken} from '../token.ts';

/** How long an access token and a refresh token are valid. Each refresh replaces both. */
const lifetimeSeconds = {access: 60 * 60, refresh: 30 * 24 * 60 * 60} as const;

/** What all tokens of one login share. */
export type Family = {
	readonly id: string;
	readonly userId: string;
	readonly clientId: string;
	/** The name that the program claims; untrusted. */
	readonly program: string | null;
	/** The API key that opened the browser session that approved the login. */
	readonly apiKeyId: string | null;
};

/** A token response (RFC 6749, section 5.1). */
export type TokenResponse = {
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
