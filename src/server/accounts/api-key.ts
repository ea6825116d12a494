import {randomUUID} from 'node:crypto';
import {type Expression, sql} from 'kysely';
import type {Secret} from '../../core/secrets/secret.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {type Actor, recordAct} from './audit-log.ts';
import {createToken} from './token.ts';

/** A key as it is listed, without the secret. */
export type ApiKeyRecord = {
	readonly id: string;
	readonly name: string | null;
	/** The start of the key, with which users find it in their files. */
	readonly prefix: string;
	/** The id of the key that created it. Revoking that key revokes this one. */
	readonly created_with: string | null;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	/** Null for no limit. */
	readonly requests_per_minute: number | null;
};

const prefixLength = 'svc_'.length + 6;
const columns = [
	'id',
	'name',
	'prefix',
	'created_with',
	'created_at',
	'last_used_at',
	'expires_at',
	'requests_per_minute',
] as const;

type NewApiKey = {
	readonly userId: string;
	readonly name: string | null;
	/** The id of the key that authenticated the request, directly or through a session or login; null for none. */
	readonly createdWith?: string | null;
	readonly requestsPerMinute?: number | null;
};

/** Creates an API key for a user. Its secret is only returned here; only its hash is stored (SAFETY 26). */
export async function createApiKey(
	{database, now}: {readonly database: Queries; readonly now: () => Date},
	{userId, name, createdWith = null, requestsPerMinute = null}: NewApiKey,
): Promise<{readonly record: ApiKeyRecord; readonly secret: Secret}> {
	const {token, hash} = createToken('api-key');
	const record = {
		id: randomUUID(),
		name,
		prefix: token.reveal().slice(0, prefixLength),
		created_with: createdWith,
		created_at: now().toISOString(),
		last_used_at: null,
		expires_at: null,
		requests_per_minute: requestsPerMinute,
	};
	const row = {...record, user_id: userId, key_hash: hash, revoked_at: null};
	await database.insertInto('api_keys').values(row).execute();
	return {record, secret: token};
}

/** Prevents a key from being revoked until the transaction ends. Returns its limit; undefined if it is already revoked. */
export async function lockKey(
	{database, now}: {readonly database: DatabaseTransaction; readonly now: () => Date},
	keyId: string,
) {
	return await database
		.updateTable('api_keys')
		.set({last_used_at: now().toISOString()})
		.where('id', '=', keyId)
		.where('revoked_at', 'is', null)
		.returning('requests_per_minute')
		.executeTakeFirst();
}

/** Selects the key with a hash if it is active: not revoked, not expired, and of a user who is not suspended. */
export function selectActiveKey(queries: Queries, hash: Expression<string>, at: Expression<string>) {
	return queries
		.selectFrom('api_keys')
		.innerJoin('users', 'users.id', 'api_keys.user_id')
		.select([
			'api_keys.id as api_key_id',
			'api_keys.user_id',
			'is_administrator',
			'requests_per_minute',
			'last_used_at',
		])
		.where('key_hash', '=', hash)
		.where('revoked_at', 'is', null)
		.where('suspended_at', 'is', null)
		.where(({eb, or}) => or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]));
}

/** Returns the active key with a hash, as `selectActiveKey` does. */
export async function findActiveKey({database, now}: DataAccess, hash: string) {
	return await selectActiveKey(database, sql.val(hash), sql.val(now().toISOString())).executeTakeFirst();
}

type KeyLimit = {readonly userId: string; readonly keyId: string; readonly requestsPerMinute: number | null};

/** Sets how many requests a minute a key may send; null for no limit. Returns false if the user has no such key. */
export async function setKeyLimit(
	database: DatabaseTransaction,
	{userId, keyId, requestsPerMinute}: KeyLimit,
): Promise<boolean> {
	const {numUpdatedRows} = await database
		.updateTable('api_keys')
		.set({requests_per_minute: requestsPerMinute})
		.where('id', '=', keyId)
		.where('user_id', '=', userId)
		.where('revoked_at', 'is', null)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

/** Returns the active keys of a user, oldest first. */
export async function listActiveKeys(
	{database, now}: {readonly database: Queries; readonly now: () => Date},
	userId: string,
): Promise<readonly ApiKeyRecord[]> {
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
 * Revokes a key and everything opened with it (SAFETY 26): keys created with it, browser sessions, logins approved in
 * them, and approvals not collected yet. Returns false if the user has no such key or it is already revoked.
 */
export async function revokeKey(
	{database, now}: DataAccess,
	{userId, keyId}: {readonly userId: string; readonly keyId: string},
	actor: Actor,
): Promise<boolean> {
	const revoked_at = now().toISOString();
	return await database.transaction().execute(async transaction => {
		const revoked = await transaction
			.updateTable('api_keys')
			.set({revoked_at})
			.where('id', '=', keyId)
			.where('user_id', '=', userId)
			.where('revoked_at', 'is', null)
			.returning(['name', 'prefix'])
			.executeTakeFirst();
		if (!revoked) {
			return false;
		}

		const family = withDescendants(transaction, keyId);
		// Another request may be creating a key right now. The next pass finds it, and after that its parent is revoked
		// and can't create more.
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
		await recordAct(transaction, actor, {
			act: 'key.revoke',
			organizationId: null,
			subject: {id: keyId, name: revoked.prefix},
			details: {name: revoked.name},
			at: now(),
		});
		return true;
	});
}

/**
 * Returns a query builder with a recursive CTE `family`: the ids of a key and all keys created with it, directly or
 * indirectly.
 */
function withDescendants(transaction: DatabaseTransaction, keyId: string) {
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
