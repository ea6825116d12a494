import {randomUUID} from 'node:crypto';
import type {Insertable} from 'kysely';
import type {Tables} from '../../database/tables.ts';
import {describeClientAddress, networkOf} from '../../kit/client-address.ts';
import type {PublicRequest, ServerRoute} from '../../kit/route.ts';
import {requestUrl} from '../../kit/server-url.ts';
import type {AccountServices} from '../account-services.ts';
import {countAttempt} from '../attempts.ts';
import {createToken, hashToken, kindOfToken} from '../token.ts';
import {createUserCode} from '../user-code.ts';
import {clientId, readClientForm} from './client-form.ts';
import {oauthError, oauthRateLimited, oauthSuccess} from './oauth-response.ts';
import {issueTokens, refresh, revokeToken} from './tokens.ts';

const paths = {device: '/oauth/device_authorization', token: '/oauth/token', revocation: '/oauth/revoke'} as const;

/** The OAuth routes: device flow (RFC 8628), refresh with rotation, revocation (RFC 7009) and metadata. */
export function oauthRoutes(services: AccountServices): readonly ServerRoute[] {
	const post = (
		path: string,
		handle: (services: AccountServices, input: PublicRequest) => Promise<Response>,
	): ServerRoute => ({
		method: 'POST',
		path,
		auth: 'none',
		// Any type: a body that is not a form gets an OAuth error.
		accepts: [],
		handle: input => handle(services, input),
	});
	return [
		{
			method: 'GET',
			path: '/.well-known/oauth-authorization-server',
			auth: 'none',
			handle: ({request}) => Response.json(metadata(requestUrl(request, services))),
		},
		post(paths.device, authorizeDevice),
		post(paths.token, handleTokenRequest),
		post(paths.revocation, revokeToken),
	];
}

/** Returns the metadata of RFC 8414, section 2. There is no authorization endpoint, so there are no response types. */
function metadata(issuer: string) {
	return {
		issuer,
		device_authorization_endpoint: `${issuer}${paths.device}`,
		token_endpoint: `${issuer}${paths.token}`,
		revocation_endpoint: `${issuer}${paths.revocation}`,
		grant_types_supported: [deviceGrant, 'refresh_token'],
		response_types_supported: [],
		token_endpoint_auth_methods_supported: ['none'],
		revocation_endpoint_auth_methods_supported: ['none'],
	};
}

async function handleTokenRequest(services: AccountServices, {request}: PublicRequest): Promise<Response> {
	const form = await readClientForm(request);
	if (form instanceof Response) {
		return form;
	}

	switch (form['grant_type']) {
		case deviceGrant:
			return await pollDevice(services, form);
		case 'refresh_token':
			return await refresh(services, form);
		case undefined:
			return oauthError('invalid_request', 'grant_type is missing.');
		default:
			return oauthError('unsupported_grant_type', 'This server supports the device_code and refresh_token grants.');
	}
}

/** How long a code may be approved, and how often a program may poll. */
const lifetimeSeconds = 10 * 60;
const intervalSeconds = 5;

/** Starts a device login (RFC 8628, sections 3.1 and 3.2). */
async function authorizeDevice(services: AccountServices, {request}: PublicRequest): Promise<Response> {
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

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** How much `slow_down` adds to the interval (RFC 8628, section 3.5). */
const slowDownSeconds = 5;
/** How much too early a poll may arrive: timers and networks vary. */
const toleranceMs = 500;

/** Answers a poll of the device flow (RFC 8628, section 3.4). Returns the tokens once, after the approval. */
async function pollDevice(
	services: AccountServices,
	{device_code: given}: Readonly<Record<string, string>>,
): Promise<Response> {
	if (!given) {
		return oauthError('invalid_request', 'device_code is missing.');
	}

	if (kindOfToken(given) !== 'device') {
		return unknownCode();
	}

	const hash = hashToken(given);
	const found = await services.database
		.selectFrom('device_authorizations')
		.select(['id', 'status', 'expires_at', 'interval_seconds', 'last_polled_at'])
		.where('device_code_hash', '=', hash)
		.executeTakeFirst();
	if (!found || found.status === 'consumed') {
		return unknownCode();
	}

	// Counted only now; otherwise every made-up code would be stored.
	const wait = await countAttempt(services, 'poll', hash);
	if (wait !== undefined) {
		return oauthRateLimited(wait);
	}

	if (found.expires_at <= services.now().toISOString()) {
		return oauthError('expired_token', 'The code was not approved in time.');
	}

	switch (found.status) {
		case 'denied':
			return denied();
		case 'approved':
			return await collect(services, found.id);
		case 'pending':
			return await answerPending(services, found);
	}
}

type Pending = {readonly id: string; readonly interval_seconds: number; readonly last_polled_at: string | null};

async function answerPending(
	{database, now}: AccountServices,
	{id, interval_seconds: seconds, last_polled_at}: Pending,
) {
	const time = now();
	const since = last_polled_at === null ? Number.POSITIVE_INFINITY : time.getTime() - Date.parse(last_polled_at);
	const isTooFast = since < seconds * 1000 - toleranceMs;
	await database
		.updateTable('device_authorizations')
		.set({
			last_polled_at: time.toISOString(),
			...(isTooFast && {interval_seconds: seconds + slowDownSeconds}),
		})
		.where('id', '=', id)
		.execute();
	return isTooFast
		? oauthError('slow_down', `Poll every ${seconds + slowDownSeconds} s from now on.`)
		: oauthError('authorization_pending', 'The code is not approved yet.');
}

/** Returns the tokens of an approved login. Of two simultaneous polls, one gets them. */
async function collect({database, now}: AccountServices, id: string): Promise<Response> {
	const time = now();
	const answer = await database.transaction().execute(async queries => {
		const login = await queries
			.updateTable('device_authorizations')
			.set({status: 'consumed'})
			.where('id', '=', id)
			.where('status', '=', 'approved')
			.returning(['user_id', 'client_id', 'api_key_id', 'provider_session', 'requested_from'])
			.executeTakeFirst();
		if (!login?.user_id) {
			return unknownCode();
		}

		const {user_id: userId, client_id: clientId, api_key_id: apiKeyId, requested_from: program} = login;
		const user = await queries.selectFrom('users').select('suspended_at').where('id', '=', userId).executeTakeFirst();
		const providerSession = login.provider_session;
		const family = {id: randomUUID(), userId, clientId, program, apiKeyId, providerSession};
		return user?.suspended_at === null ? oauthSuccess(await issueTokens(queries, time, family)) : denied();
	});
	return answer;
}

function unknownCode(): Response {
	return oauthError('invalid_grant', 'The device code is invalid or already used.');
}

function denied(): Response {
	return oauthError('access_denied', 'The login was denied.');
}
