import {randomUUID} from 'node:crypto';
import type {Insertable} from 'kysely';
import type {Tables} from '../../database/tables.ts';
import {describeClientAddress, networkOf} from '../../kit/client-address.ts';
import type {PublicRequest} from '../../kit/route.ts';
import {requestUrl} from '../../kit/server-url.ts';
import type {AccountServices} from '../account-services.ts';
import {countAttempt} from '../attempts.ts';
import {createToken} from '../token.ts';
import {createUserCode} from '../user-code.ts';
import {clientId, readClientForm} from './client-form.ts';
import {oauthRateLimited, oauthSuccess} from './oauth-response.ts';

/** How long a code may be approved, and how often a program may poll. */
const lifetimeSeconds = 10 * 60;
const intervalSeconds = 5;

/** Starts a device login (RFC 8628, sections 3.1 and 3.2). */
export async function authorizeDevice(services: AccountServices, {request}: PublicRequest): Promise<Response> {
	const form = await readClientForm(request);
	if (form instanceof Response) {
		return form;
	}

	const wait =
		(await countAttempt(services, 'device-code', networkOf(request, services))) ??
		(await countAttempt(services, 'device-code-anywhere', 'all'));
	if (wait !== undefined) {
		return oauthRateLimited(wait);
	}

	const {token, hash} = createToken('device');
	const userCode = await storeLogin(services, {
		device_code_hash: hash,
		requested_from: programOf(request),
		requested_address: describeClientAddress(request, services) ?? null,
	});
	const page = `${requestUrl(request, services)}/device`;
	return oauthSuccess({
		device_code: token.reveal(),
		user_code: userCode,
		verification_uri: page,
		verification_uri_complete: `${page}?user_code=${userCode}`,
		expires_in: lifetimeSeconds,
		interval: intervalSeconds,
	});
}

type Requester = Pick<
	Insertable<Tables['device_authorizations']>,
	'device_code_hash' | 'requested_from' | 'requested_address'
>;

/** Stores a waiting login under a unique code, and returns the code. */
async function storeLogin({database, now}: AccountServices, requester: Requester): Promise<string> {
	for (;;) {
		const time = now();
		const user_code = createUserCode();
		const {numInsertedOrUpdatedRows} = await database
			.insertInto('device_authorizations')
			.values({
				id: randomUUID(),
				...requester,
				user_code,
				client_id: clientId,
				status: 'pending',
				user_id: null,
				api_key_id: null,
				interval_seconds: intervalSeconds,
				last_polled_at: null,
				created_at: time.toISOString(),
				expires_at: new Date(time.getTime() + lifetimeSeconds * 1000).toISOString(),
			})
			.onConflict(conflict => conflict.column('user_code').doNothing())
			.executeTakeFirstOrThrow();
		if (numInsertedOrUpdatedRows) {
			return user_code;
		}
	}
}

/** Returns the user agent of the app, which is shown to the user who approves it. */
function programOf(request: Request): string {
	const userAgent = (request.headers.get('user-agent') ?? '').replace(/[^\x20-\x7e]/g, '').trim();
	return userAgent.slice(0, 120) || 'a program that does not say what it is';
}
