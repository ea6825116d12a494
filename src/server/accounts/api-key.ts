import {randomUUID} from 'node:crypto';
import type {Secret} from '../../core/secret.ts';
import type {Services} from '../services.ts';
import {makeToken} from './token.ts';

type Shared = Pick<Services, 'database' | 'now'>;

/** A key as it is listed: everything but the secret. */
export type ApiKeyRecord = {
	readonly id: string;
	readonly name: string | null;
	/** How the key begins, by which a person finds it in his own files. */
	readonly prefix: string;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
};

const shownLength = 'svc_'.length + 6;
const columns = ['id', 'name', 'prefix', 'created_at', 'last_used_at', 'expires_at'] as const;

/** Makes a key of a user. The secret is given this once; only its hash is stored (SAFETY 26). */
export async function makeApiKey(
	{database, now}: Shared,
	{userId, name}: {readonly userId: string; readonly name: string | null},
): Promise<{readonly record: ApiKeyRecord; readonly secret: Secret}> {
	const {token, hash} = makeToken('api-key');
	const record = {
		id: randomUUID(),
		name,
		prefix: token.reveal().slice(0, shownLength),
		created_at: now().toISOString(),
		last_used_at: null,
		expires_at: null,
	};
	const row = {...record, user_id: userId, key_hash: hash, revoked_at: null};
	await database.insertInto('api_keys').values(row).execute();
	return {record, secret: token};
}

/** The key of a hash, if it opens something: not revoked, not expired, and of a user who is not suspended. */
export async function findActiveKey({database, now}: Shared, hash: string) {
	return await database
		.selectFrom('api_keys')
		.innerJoin('users', 'users.id', 'api_keys.user_id')
		.select(['api_keys.id', 'api_keys.user_id', 'api_keys.last_used_at'])
		.where('key_hash', '=', hash)
		.where('revoked_at', 'is', null)
		.where('suspended_at', 'is', null)
		.where(({eb, or}) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now().toISOString())]))
		.executeTakeFirst();
}

/** The keys of a user that open something, oldest first. */
export async function listActiveKeys({database, now}: Shared, userId: string): Promise<readonly ApiKeyRecord[]> {
	return await database
		.selectFrom('api_keys')
		.select(columns)
		.where('user_id', '=', userId)
		.where('revoked_at', 'is', null)
		.where(({eb, or}) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now().toISOString())]))
		.orderBy('created_at')
		.orderBy('id')
		.execute();
}

/**
 * Revokes a key and ends what it opened (SAFETY 26): browser sessions, logins that were approved in them, and approvals
 * that were not fetched yet. False where the user has no such key, or had it revoked before.
 */
export async function revokeKey(
	{database, now}: Shared,
	{userId, keyId}: {readonly userId: string; readonly keyId: string},
): Promise<boolean> {
	const revoked_at = now().toISOString();
	return await database.transaction().execute(async transaction => {
		const {numUpdatedRows} = await transaction
			.updateTable('api_keys')
			.set({revoked_at})
			.where('id', '=', keyId)
			.where('user_id', '=', userId)
			.where('revoked_at', 'is', null)
			.executeTakeFirstOrThrow();
		if (numUpdatedRows === 0n) {
			return false;
		}

		for (const table of ['browser_sessions', 'tokens'] as const) {
			await transaction
				.updateTable(table)
				.set({revoked_at})
				.where('api_key_id', '=', keyId)
				.where('revoked_at', 'is', null)
				.execute();
		}

		await transaction
			.updateTable('device_authorizations')
			.set({status: 'denied'})
			.where('api_key_id', '=', keyId)
			.where('status', '=', 'approved')
			.execute();
		return true;
	});
}
