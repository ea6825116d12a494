import {selectActiveKey} from '../accounts/api-key.ts';
import {selectAccessToken} from '../accounts/oauth/tokens.ts';
import {hashToken, kindOfToken} from '../accounts/token.ts';
import {isDatabaseFault} from '../database/fault.ts';
import {prepared, type QueryInput} from '../database/prepared.ts';
import type {Services} from '../handlers/services.ts';
import type {Principal} from '../kit/authorize.ts';
import {type PlaceNames, type RequestScope, type ScopeInput, scopeInput, toScope, withScope} from '../kit/scope.ts';

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

/**
 * Returns the caller by `Authorization: Bearer` or `X-API-Key`, and the scope of the request. Returns undefined if the
 * credential is missing, wrong, expired, revoked, or belongs to a suspended user. Credentials are looked up by hash, so
 * timing reveals nothing (SAFETY 26). Every request asks the database, so that a revoked key or another role counts at
 * once.
 */
export async function authenticate(
	services: Services,
	request: Request,
	place: PlaceNames,
): Promise<{readonly principal: Principal; readonly scope: RequestScope | undefined} | undefined> {
	const credential = credentialOf(request);
	if (credential === undefined) {
		return undefined;
	}

	const isToken = kindOfToken(credential) === 'access';
	const at = services.now().toISOString();
	const find = isToken ? findByToken : findByKey;
	const [row] = await find(services.database, {hash: hashToken(credential), at, ...scopeInput(place)});
	if (!row) {
		return undefined;
	}

	const {user_id: userId, api_key_id: apiKeyId} = row;
	if (!isToken && apiKeyId !== null) {
		await noteUse(services, {id: apiKeyId, lastUsedAt: row.last_used_at, at});
	}

	return {principal: {userId, apiKeyId}, scope: toScope(row, place)};
}

function credentialOf({headers}: Request): string | undefined {
	const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
	return bearer ?? headers.get('x-api-key') ?? undefined;
}

type KeyUse = {readonly id: string; readonly lastUsedAt: string | null; readonly at: string};

async function noteUse({database}: Services, {id, lastUsedAt, at}: KeyUse): Promise<void> {
	if (lastUsedAt === null || Date.parse(at) - Date.parse(lastUsedAt) > lastUsedIntervalMs) {
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
			});
	}
}
