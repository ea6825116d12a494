import {expect, test} from 'vitest';
import {clientAddressHeader} from '../../../../src/server/kit/client-address.ts';
import {decideLogin, findLogin} from '../../../../src/server/pages/device-pages.ts';
import {createTestServer, origin} from '../../harness.ts';
import {approve, beginLogin, client, deviceGrant, openBrowserSession, poll, postForm} from '../../oauth/oauth.ts';

const preferences = '/api/v1/user/preferences';
const pending = expect.objectContaining({error: 'authorization_pending'});

test('the metadata lists the endpoints at the requested origin', async () => {
	const {app} = await createTestServer();
	const ask = async (host: string) => {
		const path = `${origin}/.well-known/oauth-authorization-server`;
		return await (await app(new Request(path, {headers: {host}}))).json();
	};
	expect(await ask('127.0.0.1:8700')).toEqual({
		issuer: origin,
		device_authorization_endpoint: `${origin}/oauth/device_authorization`,
		token_endpoint: `${origin}/oauth/token`,
		revocation_endpoint: `${origin}/oauth/revoke`,
		grant_types_supported: [deviceGrant, 'refresh_token'],
		response_types_supported: [],
		token_endpoint_auth_methods_supported: ['none'],
		revocation_endpoint_auth_methods_supported: ['none'],
	});
	expect(await ask('localhost:8700')).toMatchObject({issuer: 'http://localhost:8700'});
});

test('a login exchanges a code for tokens as RFC 8628 says, and the code works once', async () => {
	const server = await createTestServer();
	const begun = await postForm(server.app, '/oauth/device_authorization', client);
	const {device_code: deviceCode, user_code: userCode} = begun.json;
	expect([begun.status, begun.headers.get('cache-control'), begun.json]).toEqual([
		200,
		'no-store',
		{
			device_code: expect.stringMatching(/^svd_[\w-]{43}$/),
			user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
			verification_uri: `${origin}/device`,
			verification_uri_complete: `${origin}/device?user_code=${userCode}`,
			expires_in: 600,
			interval: 5,
		},
	]);

	const early = await poll(server, deviceCode);
	expect([early.status, early.headers.get('cache-control'), early.json]).toEqual([400, 'no-store', pending]);
	server.advance(5000);
	expect((await poll(server, deviceCode)).json).toEqual(pending);

	const login = await findLogin(server.services, userCode.toLowerCase());
	const session = await openBrowserSession(server);
	const decide = (decision: 'approved' | 'denied') =>
		decideLogin(server.services, {id: login?.id ?? ''}, {decision, session});
	expect(await decide('approved')).toBe('decided');
	server.advance(5000);
	const granted = await poll(server, deviceCode);
	expect([granted.status, granted.headers.get('cache-control'), granted.json]).toEqual([
		200,
		'no-store',
		{
			access_token: expect.stringMatching(/^sva_[\w-]{43}$/),
			token_type: 'Bearer',
			expires_in: 3600,
			refresh_token: expect.stringMatching(/^svr_[\w-]{43}$/),
		},
	]);
	expect((await server.send(preferences, {key: granted.json.access_token})).status).toBe(200);
	expect((await poll(server, deviceCode)).json.error).toBe('invalid_grant');
	expect(await decide('denied')).toBe('late');
});

test('of two simultaneous polls, one gets the tokens', async () => {
	const server = await createTestServer();
	const {deviceCode, userCode} = await beginLogin(server);
	await approve(server, userCode);
	const answers = await Promise.all([1, 2, 3].map(() => poll(server, deviceCode)));
	expect(answers.map(({json}) => json.error ?? 'tokens').sort()).toEqual(['invalid_grant', 'invalid_grant', 'tokens']);
});

test('[26] neither codes nor tokens are stored in plain text', async () => {
	const server = await createTestServer();
	const {deviceCode, userCode} = await beginLogin(server);
	await approve(server, userCode);
	const {json} = await poll(server, deviceCode);
	const stored = JSON.stringify([
		await server.database.selectFrom('device_authorizations').selectAll().execute(),
		await server.database.selectFrom('tokens').selectAll().execute(),
		await server.database.selectFrom('api_keys').selectAll().execute(),
	]);
	for (const secret of [deviceCode, json.access_token, json.refresh_token, server.owner.key]) {
		expect(stored).not.toContain(secret.slice(12));
	}
});

test('a client that polls too fast is slowed down by 5 s each time, and served once it waits', async () => {
	const server = await createTestServer();
	const {deviceCode} = await beginLogin(server);
	const errors: string[] = [];
	for (const wait of [0, 1000, 6000, 15_000, 14_000, 20_000]) {
		server.advance(wait);
		errors.push((await poll(server, deviceCode)).json.error);
	}

	const [early, fine] = ['slow_down', 'authorization_pending'];
	expect(errors).toEqual([fine, early, early, fine, early, fine]);
});

test('a timer that is slightly early is accepted', async () => {
	const server = await createTestServer();
	const {deviceCode} = await beginLogin(server);
	await poll(server, deviceCode);
	server.advance(4600);
	expect((await poll(server, deviceCode)).json).toEqual(pending);
});

test('endless polls get 429 with the time to wait', async () => {
	const server = await createTestServer();
	const {deviceCode} = await beginLogin(server);
	for (let count = 0; count < 60; count += 1) {
		await poll(server, deviceCode);
	}

	const {status, headers, json} = await poll(server, deviceCode);
	expect([status, headers.get('retry-after'), json.type]).toEqual([429, '60', 'usage_limit_exceeded_error']);
	server.advance(60_000);
	expect((await poll(server, deviceCode)).status).toBe(400);
});

test('unknown codes are rejected without a trace', async () => {
	const server = await createTestServer();
	const {status, json} = await poll(server, `svd_${'x'.repeat(43)}`);
	expect([status, json.error]).toEqual([400, 'invalid_grant']);
	expect(await server.database.selectFrom('attempts').select('key').execute()).toEqual([]);
});

test('endless logins from one network do not block other networks', async () => {
	const {app} = await createTestServer();
	const begin = (address: string) =>
		postForm(app, '/oauth/device_authorization', client, {[clientAddressHeader]: address});
	const answers = await Promise.all(Array.from({length: 61}, () => begin('203.0.113.9')));
	expect(answers.filter(({status}) => status === 429)).toHaveLength(1);
	expect((await begin('198.51.100.7')).status).toBe(200);
});

test('a code expires after ten minutes, approved or not', async () => {
	const server = await createTestServer();
	const [waiting, late] = [await beginLogin(server), await beginLogin(server)];
	await approve(server, late.userCode);
	server.advance(600_000);
	expect((await poll(server, waiting.deviceCode)).json.error).toBe('expired_token');
	expect((await poll(server, late.deviceCode)).json.error).toBe('expired_token');
	expect(await findLogin(server.services, waiting.userCode)).toBeUndefined();
});

test('a denied login, or one of a suspended user, is access_denied', async () => {
	const server = await createTestServer();
	const [denied, suspended] = [await beginLogin(server), await beginLogin(server)];
	const login = await findLogin(server.services, denied.userCode);
	const session = await openBrowserSession(server);
	await decideLogin(server.services, {id: login?.id ?? ''}, {decision: 'denied', session});
	expect((await poll(server, denied.deviceCode)).json.error).toBe('access_denied');

	await approve(server, suspended.userCode);
	await server.database.updateTable('users').set({suspended_at: server.services.now().toISOString()}).execute();
	expect((await poll(server, suspended.deviceCode)).json.error).toBe('access_denied');
});

test.each<[string, string, Record<string, string> | string, string]>([
	['no client', '/oauth/device_authorization', {}, 'invalid_client'],
	['another client', '/oauth/device_authorization', {client_id: 'other'}, 'invalid_client'],
	['a scope', '/oauth/device_authorization', {...client, scope: 'admin'}, 'invalid_scope'],
	['a parameter twice', '/oauth/device_authorization', 'client_id=service-cli&client_id=other', 'invalid_request'],
	['no grant', '/oauth/token', client, 'invalid_request'],
	[
		'a password',
		'/oauth/token',
		{...client, grant_type: 'password', username: 'a', password: 'b'},
		'unsupported_grant_type',
	],
	['no device code', '/oauth/token', {...client, grant_type: deviceGrant}, 'invalid_request'],
	['no value', '/oauth/token', {...client, grant_type: deviceGrant, device_code: ''}, 'invalid_request'],
	['a made-up code', '/oauth/token', {...client, grant_type: deviceGrant, device_code: 'x'}, 'invalid_grant'],
	[
		'an unknown code',
		'/oauth/token',
		{...client, grant_type: deviceGrant, device_code: `svd_${'a'.repeat(43)}`},
		'invalid_grant',
	],
	['no refresh token', '/oauth/token', {...client, grant_type: 'refresh_token'}, 'invalid_request'],
	[
		'another client’s grant',
		'/oauth/token',
		{client_id: 'other', grant_type: deviceGrant, device_code: 'x'},
		'invalid_client',
	],
	['too large', '/oauth/token', `client_id=service-cli&x=${'a'.repeat(70_000)}`, 'invalid_request'],
	['bytes that are no text', '/oauth/token', '%ff%fe=%00&client_id=%', 'invalid_client'],
	[
		'a name of all objects',
		'/oauth/token',
		'client_id=service-cli&__proto__=1&grant_type=constructor',
		'unsupported_grant_type',
	],
])('a request with %s gets the OAuth error', async (_, path, form, error) => {
	const server = await createTestServer();
	const answer = await postForm(server.app, path, form);
	expect([answer.status, answer.headers.get('cache-control'), answer.json]).toEqual([
		400,
		'no-store',
		{error, error_description: expect.stringMatching(/\.$/)},
	]);
});

test('a client with a secret is unknown: 401 with the scheme it used', async () => {
	const server = await createTestServer();
	const answer = await postForm(server.app, '/oauth/token', client, {authorization: 'Basic c2VydmljZS1jbGk6eA=='});
	expect([answer.status, answer.headers.get('www-authenticate'), answer.json.error]).toEqual([
		401,
		'Basic',
		'invalid_client',
	]);
});

test.each(['application/json', 'text/plain', ''])('a body of type “%s” is an invalid_request', async type => {
	const server = await createTestServer();
	const answer = await postForm(server.app, '/oauth/token', '{"client_id":"service-cli"}', {'content-type': type});
	expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request']);
});
