import {randomUUID} from 'node:crypto';
import type {Secret} from '../../core/secrets/secret.ts';
import type {Database, DatabaseTransaction} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {createToken, hashToken, kindOfToken} from './token.ts';
import {type Account, accountColumns} from './user.ts';

/** A user's browser session. */
export type BrowserSession = {
	readonly id: string;
	readonly account: Account;
	/** Whether only the second-factor page is open to it. */
	readonly needsSecondFactor: boolean;
	/** The API key that opened the session, if not a password. */
	readonly apiKeyId: string | null;
	/** The session at an OpenID provider that it comes from, if any. */
	readonly providerSession: string | null;
};

type NewSession = Pick<BrowserSession, 'apiKeyId' | 'providerSession' | 'needsSecondFactor'> & {
	readonly userId: string;
};

/** Lifetime of a session, and of one that waits for the second factor. */
const lifetimeSeconds = 12 * 60 * 60;
const pendingLifetimeSeconds = 10 * 60;

/** Creates a session, always with a new secret (against session fixation). Only the secret's hash is stored. */
export async function openSession(
	{database, now}: DataAccess,
	{userId, apiKeyId, providerSession, needsSecondFactor}: NewSession,
): Promise<{readonly token: Secret; readonly seconds: number}> {
	const {token, hash} = createToken('session');
	const time = now();
	const seconds = needsSecondFactor ? pendingLifetimeSeconds : lifetimeSeconds;
	await database
		.insertInto('browser_sessions')
		.values({
			id: randomUUID(),
			user_id: userId,
			session_hash: hash,
			second_factor_pending: needsSecondFactor ? 1 : 0,
			api_key_id: apiKeyId,
			provider_session: providerSession,
			created_at: time.toISOString(),
			expires_at: new Date(time.getTime() + seconds * 1000).toISOString(),
			revoked_at: null,
		})
		.execute();
	return {token, seconds};
}

/** Returns the session of a cookie; undefined if it has expired or ended, or its user is suspended. */
export async function findSession(
	{database, now}: DataAccess,
	token: string | undefined,
): Promise<BrowserSession | undefined> {
	if (!token || kindOfToken(token) !== 'session') {
		return undefined;
	}

	const found = await database
		.selectFrom('browser_sessions')
		.innerJoin('users', 'users.id', 'browser_sessions.user_id')
		.leftJoin('api_keys', 'api_keys.id', 'browser_sessions.api_key_id')
		.select(['browser_sessions.id as session_id', 'second_factor_pending', 'api_key_id', 'provider_session'])
		.select(accountColumns.map(column => `users.${column}` as const))
		.where('session_hash', '=', hashToken(token))
		.where('browser_sessions.expires_at', '>', now().toISOString())
		.where('browser_sessions.revoked_at', 'is', null)
		.where('api_keys.revoked_at', 'is', null)
		.where('suspended_at', 'is', null)
		.executeTakeFirst();
	if (!found) {
		return undefined;
	}

	const {
		session_id: id,
		second_factor_pending,
		api_key_id: apiKeyId,
		provider_session: providerSession,
		...account
	} = found;
	return {id, account, needsSecondFactor: second_factor_pending === 1, apiKeyId, providerSession};
}

/**
 * Keeps a session as it is until the transaction ends: whoever ends it waits, or has ended it before. Returns whether it is still
 * open to everything, as `findSession` found it.
 */
export async function holdSession(
	transaction: DatabaseTransaction,
	{id}: Pick<BrowserSession, 'id'>,
	at: string,
): Promise<boolean> {
	const {numUpdatedRows} = await transaction
		.updateTable('browser_sessions')
		.set(({ref}) => ({user_id: ref('user_id')}))
		.where('id', '=', id)
		.where('expires_at', '>', at)
		.where('revoked_at', 'is', null)
		.where('second_factor_pending', '=', 0)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

/** Ends a session. */
export async function closeSession({database, now}: DataAccess, id: string): Promise<void> {
	await database.updateTable('browser_sessions').set({revoked_at: now().toISOString()}).where('id', '=', id).execute();
}

/** Ends all sessions of a user but one, after their password or second factor has changed. */
export async function closeOtherSessions({database, now}: DataAccess, {id, account}: BrowserSession): Promise<void> {
	await database
		.updateTable('browser_sessions')
		.set({revoked_at: now().toISOString()})
		.where('user_id', '=', account.id)
		.where('id', '!=', id)
		.where('revoked_at', 'is', null)
		.execute();
}

/** Requires the second factor in all sessions of a user, after it was turned on in a terminal. */
export async function requireSecondFactor({database}: {readonly database: Database}, userId: string): Promise<void> {
	await database
		.updateTable('browser_sessions')
		.set({second_factor_pending: 1})
		.where('user_id', '=', userId)
		.where('revoked_at', 'is', null)
		.execute();
}
