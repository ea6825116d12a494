import {findActiveKey} from '../accounts/api-key.ts';
import {findAccessToken} from '../accounts/oauth/access-token.ts';
import {hashToken, kindOfToken} from '../accounts/token.ts';
import {isDatabaseFault} from '../database/fault.ts';
import type {Services} from '../handlers/services.ts';
import type {Principal} from '../kit/authorize.ts';

/** How stale `last_used_at` may be. A write for each request would cost more than the precision is worth. */
const lastUsedIntervalMs = 60_000;

/**
 * Returns the caller by `Authorization: Bearer` or `X-API-Key`. Returns undefined if the credential is missing, wrong,
 * expired, revoked, or belongs to a suspended user. Credentials are looked up by hash, so timing reveals nothing
 * (SAFETY 26).
 */
export async function authenticate(services: Services, request: Request): Promise<Principal | undefined> {
	const credential = credentialOf(request);
	if (credential === undefined) {
		return undefined;
	}

	const find = kindOfToken(credential) === 'access' ? findAccessToken : findApiKey;
	return await find(services, hashToken(credential));
}

function credentialOf({headers}: Request): string | undefined {
	const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
	return bearer ?? headers.get('x-api-key') ?? undefined;
}

async function findApiKey(services: Services, hash: string): Promise<Principal | undefined> {
	const {database, now} = services;
	const key = await findActiveKey(services, hash);
	if (!key) {
		return undefined;
	}

	const at = now().toISOString();
	if (key.last_used_at === null || Date.parse(at) - Date.parse(key.last_used_at) > lastUsedIntervalMs) {
		await database
			.updateTable('api_keys')
			.set({last_used_at: at})
			.where('id', '=', key.id)
			.execute()
			.catch(error => {
				// A read-only database can still serve requests.
				if (!isDatabaseFault(error)) {
					throw error;
				}
			});
	}

	return {userId: key.user_id, apiKeyId: key.id};
}
