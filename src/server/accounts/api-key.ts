import {randomUUID} from 'node:crypto';
import type {Secret} from '../../core/secrets/secret.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';
import type {AccountServices} from './account-services.ts';
import {makeToken} from './token.ts';

type Shared = Pick<AccountServices, 'database' | 'now'>;

/** A key as it is listed: everything but the secret. */
export type ApiKeyRecord = {
	readonly id: string;
	readonly name: string | null;
	/** The start of the key, by which users find it in their files. */
	readonly prefix: string;
	/** The id of the key that created it; revoking that one revokes this one. */
	readonly created_with: string | null;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
};

const shownLength = 'svc_'.length + 6;
const columns = ['id', 'name', 'prefix', 'created_with', 'created_at', 'last_used_at', 'expires_at'] as const;

type Making = {
	readonly userId: string;
	readonly name: string | null;
	/** The id of the key that the request came with, directly or through what it opened; null for none. */
	readonly createdWith?: string | null;
};

/** Creates a key of a user. The secret is given this once; only its hash is stored (SAFETY 26). */
export async function makeApiKey(
	{database, now}: {readonly database: Queries} & Pick<Shared, 'now'>,
	{userId, name, createdWith = null}: Making,
): Promise<{readonly record: ApiKeyRecord; readonly secret: Secret}> {
	const {token, hash} = makeToken('api-key');
	const record = {
		id: randomUUID(),
		name,
		prefix: token.reveal().slice(0, shownLength),
		created_with: createdWith,
		created_at: now().toISOString(),
		last_used_at: null,
		expires_at: null,
	};
	const row = {...record, user_id: userId, key_hash: hash, revoked_at: null};
	await database.insertInto('api_keys').values(row).execute();
	return {record, secret: token};
}

/** Keeps a key from being revoked until the transaction ends. False where that has happened already. */
export async function holdKey(
	{database, now}: {readonly database: DatabaseTransaction} & Pick<Shared, 'now'>,
	keyId: string,
) {
	const {numUpdatedRows} = await database
		.updateTable('api_keys')
		.set({last_used_at: now().toISOString()})
		.where('id', '=', keyId)
		.where('revoked_at', 'is', null)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
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
 * Revokes a key and ends what it opened (SAFETY 26): the keys that were created with it, browser sessions, logins that
 * were approved in them, and approvals that were not fetched yet. False where the user has no such key, or had it revoked
 * before.
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

		const family = descendantsOf(transaction, keyId);
		// A key that another request creates at this moment is seen by the next look, and its parent then takes no more.
		for (let found = 1n; found > 0n; ) {
			const descendants = family.updateTable('api_keys').set({revoked_at}).where('revoked_at', 'is', null);
			const {numUpdatedRows: ended} = await descendants
				.where('id', 'in', ({selectFrom}) => selectFrom('family').select('family.id'))
				.executeTakeFirstOrThrow();
			found = ended;
		}

		for (const table of ['browser_sessions', 'tokens'] as const) {
			await family
				.updateTable(table)
				.set({revoked_at})
				.where('api_key_id', 'in', ({selectFrom}) => selectFrom('family').select('family.id'))
				.where('revoked_at', 'is', null)
				.execute();
		}

		await family
			.updateTable('device_authorizations')
			.set({status: 'denied'})
			.where('api_key_id', 'in', ({selectFrom}) => selectFrom('family').select('family.id'))
			.where('status', '=', 'approved')
			.execute();
		return true;
	});
}

/** Queries that know `family`: the ids of a key and of every key that was created with one of them. */
function descendantsOf(transaction: DatabaseTransaction, keyId: string) {
	return transaction.withRecursive('family', queries =>
		queries
			.selectFrom('api_keys')
			.select('api_keys.id')
			.where('api_keys.id', '=', keyId)
			.union(
				queries.selectFrom('api_keys').innerJoin('family', 'family.id', 'api_keys.created_with').select('api_keys.id'),
			),
	);
}
