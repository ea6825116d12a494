import {sql} from 'kysely';
import {selectActiveKey} from '../accounts/api-key.ts';
import {selectAccessToken} from '../accounts/oauth/tokens.ts';
import {hashToken, kindOfToken} from '../accounts/token.ts';
import {isDatabaseFault} from '../database/fault.ts';
import {prepared, type QueryInput} from '../database/prepared.ts';
import type {Database} from '../database/tables.ts';
import type {Services} from '../handlers/services.ts';
import type {Principal} from '../kit/authorize.ts';
import {type PlaceNames, type RequestScope, type ScopeInput, scopeInput, toScope, withScope} from '../kit/scope.ts';
import {createSharedReads, type SharedReads} from '../kit/shared-reads.ts';
import {countRequest} from './rate-limit.ts';

/** How stale `last_used_at` may be. A write for each request would cost more than the precision is worth. */
const lastUsedIntervalMs = 60_000;

type CallerInput = {readonly hash: string; readonly at: string} & ScopeInput;

/** The caller and their scope by credential: one question for each request, of a cached statement. */
const findByKey = prepared((queries, input: QueryInput<CallerInput>) =>
	withScope(queries, selectActiveKey(queries, input('hash'), input('at')).as('caller'), input).limit(1),
);
const findByToken = prepared((queries, input: QueryInput<CallerInput>) =>
	withScope(queries, selectAccessToken(queries, input('hash'), input('at')).as('caller'), input).limit(1),
);

const findByUser = prepared((queries, input: QueryInput<{readonly userId: string} & ScopeInput>) =>
	withScope(
		queries,
		queries
			.selectFrom('users')
			.select([
				'id as user_id',
				'is_administrator',
				sql<string | null>`null`.as('api_key_id'),
				sql<string | null>`null`.as('last_used_at'),
				sql<number | null>`null`.as('requests_per_minute'),
			])
			.where('id', '=', input('userId'))
			.where('suspended_at', 'is', null)
			.as('caller'),
		input,
	).limit(1),
);

type Caller = {
	readonly principal: Principal;
	readonly isAdministrator: boolean;
	readonly scope: RequestScope | undefined;
};

/** Returns the scope of a request of a caller whom another server authenticated; undefined if they are suspended. */
export async function scopeForwarded(
	services: Services,
	principal: Principal,
	place: PlaceNames,
): Promise<Caller | undefined> {
	const [row] = await findByUser(services.database, {userId: principal.userId, ...scopeInput(place)});
	return row && {principal, isAdministrator: row.is_administrator === 1, scope: toScope(row, place)};
}

/** A caller, and the requests a minute that their API key may send; null for no limit. */
type Known = {readonly caller: Caller; readonly requestsPerMinute: number | null};

type CallerReads = SharedReads<Known | undefined>;

/** Callers that are being looked up, by database. */
const readsOf = new WeakMap<Database, CallerReads>();

/**
 * Returns the caller by `Authorization: Bearer` or `X-API-Key`, and the scope of the request. Returns undefined if the
 * credential is missing, wrong, expired, revoked, or belongs to a suspended user. Credentials are looked up by hash, so
 * timing reveals nothing (SAFETY 26). Every request gets what the database says after it came, so that a revoked key or
 * another role counts at once; those of one caller that wait for that at the same time share the answer. Rejects
 * with 429 if the API key, or the one that opened the login, has used up its requests.
 */
export async function authenticate(
	services: Services,
	request: Request,
	place: PlaceNames,
): Promise<Caller | undefined> {
	const credential = credentialOf(request);
	if (credential === undefined) {
		return undefined;
	}

	const {database} = services;
	const reads: CallerReads = readsOf.get(database) ?? createSharedReads();
	readsOf.set(database, reads);
	const {org, workspace, project, filterProject} = place;
	const hash = hashToken(credential);
	const key = JSON.stringify([hash, org, workspace, project, filterProject]);
	const isToken = kindOfToken(credential) === 'access';
	const known = await reads.joinNext(key, () => findCaller(services, {hash, isToken}, place));
	const keyId = known?.caller.principal.apiKeyId;
	if (known && keyId && known.requestsPerMinute !== null) {
		countRequest(database, request, {keyId, limit: known.requestsPerMinute, now: services.now()});
	}

	return known?.caller;
}

async function findCaller(
	services: Services,
	{hash, isToken}: {readonly hash: string; readonly isToken: boolean},
	place: PlaceNames,
): Promise<Known | undefined> {
	const at = services.now().toISOString();
	const find = isToken ? findByToken : findByKey;
	const [row] = await find(services.database, {hash, at, ...scopeInput(place)});
	if (!row) {
		return undefined;
	}

	const {user_id: userId, api_key_id: apiKeyId} = row;
	if (!isToken && apiKeyId !== null) {
		await noteUse(services, {id: apiKeyId, lastUsedAt: row.last_used_at, at});
	}

	const caller = {
		principal: {userId, apiKeyId},
		isAdministrator: row.is_administrator === 1,
		scope: toScope(row, place),
	};
	return {caller, requestsPerMinute: row.requests_per_minute};
}

/** Returns the credential of a request, whatever it is worth. */
export function credentialOf({headers}: Request): string | undefined {
	const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
	return bearer ?? headers.get('x-api-key') ?? undefined;
}

type KeyUse = {readonly id: string; readonly lastUsedAt: string | null; readonly at: string};

/** Keys whose use is being stored: of many requests at once, one does. The others would wait for its row. */
const noting = new Set<string>();

async function noteUse({database}: Services, {id, lastUsedAt, at}: KeyUse): Promise<void> {
	const isStale = lastUsedAt === null || Date.parse(at) - Date.parse(lastUsedAt) > lastUsedIntervalMs;
	if (isStale && !noting.has(id)) {
		noting.add(id);
		await database
			.updateTable('api_keys')
			.set({last_used_at: at})
			.where('id', '=', id)
			.execute()
			.catch(error => {
				// A read-only database can still serve requests.
				if (!isDatabaseFault(error)) {
					throw error;
				}
			})
			.finally(() => noting.delete(id));
	}
}
