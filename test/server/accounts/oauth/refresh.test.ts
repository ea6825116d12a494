import {expect, test} from 'vitest';
import {createTestServer, type TestServer} from '../../harness.ts';
import {client, logIn, postForm, refresh} from '../../oauth/oauth.ts';

const preferences = '/api/v1/user/preferences';
const minute = 60_000;
const day = 24 * 60 * minute;

async function statusOf(server: TestServer, key: string): Promise<number> {
	return (await server.send(preferences, {key})).status;
}

const revoke = ({app}: TestServer, token: string) => postForm(app, '/oauth/revoke', {...client, token});

test('a refresh token returns new tokens, which can be refreshed again', async () => {
	const server = await createTestServer();
	let tokens = await logIn(server);
	for (let turn = 0; turn < 3; turn += 1) {
		server.advance(61 * minute);
		expect(await statusOf(server, tokens.access)).toBe(401);
		const {status, json} = await refresh(server, tokens.refresh);
		expect([status, Object.keys(json)]).toEqual([200, ['access_token', 'token_type', 'expires_in', 'refresh_token']]);
		expect(json.refresh_token).not.toBe(tokens.refresh);
		tokens = {access: json.access_token, refresh: json.refresh_token};
		expect(await statusOf(server, tokens.access)).toBe(200);
	}
});

test('[26] using a refresh token again after the grace period ends that login only', async () => {
	const server = await createTestServer();
	const [stolen, other] = [await logIn(server), await logIn(server)];
	const {json: next} = await refresh(server, stolen.refresh);
	server.advance(10_001);
	const again = await refresh(server, stolen.refresh);
	expect([again.status, again.json.error]).toEqual([400, 'invalid_grant']);
	expect(await statusOf(server, next.access_token)).toBe(401);
	expect((await refresh(server, next.refresh_token)).json.error).toBe('invalid_grant');
	expect(await statusOf(server, other.access)).toBe(200);
	expect((await refresh(server, other.refresh)).status).toBe(200);
});

test('a client that lost a response can refresh again within ten seconds', async () => {
	const server = await createTestServer();
	const {refresh: token} = await logIn(server);
	await refresh(server, token);
	server.advance(9000);
	const {status, json} = await refresh(server, token);
	expect(status).toBe(200);
	server.advance(minute);
	expect((await refresh(server, json.refresh_token)).status).toBe(200);
});

test('two programs that refresh at the same time both stay logged in', async () => {
	const server = await createTestServer();
	const {refresh: token} = await logIn(server);
	const answers = await Promise.all([refresh(server, token), refresh(server, token)]);
	expect(answers.map(({status}) => status)).toEqual([200, 200]);
	server.advance(minute);
	const next = await Promise.all(answers.map(({json}) => refresh(server, json.refresh_token)));
	expect(next.map(({status}) => status)).toEqual([200, 200]);
});

test.each(['access', 'refresh'] as const)('revoking the %s token ends the login (RFC 7009)', async kind => {
	const server = await createTestServer();
	const tokens = await logIn(server);
	expect((await revoke(server, tokens[kind])).status).toBe(200);
	expect(await statusOf(server, tokens.access)).toBe(401);
	expect((await refresh(server, tokens.refresh)).json.error).toBe('invalid_grant');
	expect((await revoke(server, tokens[kind])).status).toBe(200);
});

test('[26] revoking the API key that opened a login ends the login', async () => {
	const server = await createTestServer();
	const {json: keys} = await server.send('/api/v1/user/api-keys');
	const tokens = await logIn(server, {apiKeyId: keys[0].id});
	const free = await logIn(server);
	await server.send(`/api/v1/user/api-keys/${keys[0].id}`, {method: 'DELETE'});
	expect(await statusOf(server, tokens.access)).toBe(401);
	expect((await refresh(server, tokens.refresh)).json.error).toBe('invalid_grant');
	expect(await statusOf(server, free.access)).toBe(200);
});

test('a login that is unused for 30 days ends', async () => {
	const server = await createTestServer();
	const {refresh: token} = await logIn(server);
	server.advance(30 * day);
	expect((await refresh(server, token)).json.error).toBe('invalid_grant');
});

test('[26] a suspended user’s tokens are invalid', async () => {
	const server = await createTestServer();
	const tokens = await logIn(server);
	await server.database.updateTable('users').set({suspended_at: server.services.now().toISOString()}).execute();
	expect(await statusOf(server, tokens.access)).toBe(401);
	expect((await refresh(server, tokens.refresh)).json.error).toBe('invalid_grant');
});

test('[26] a token of one kind is invalid as another', async () => {
	const server = await createTestServer();
	const tokens = await logIn(server);
	expect(await statusOf(server, tokens.refresh)).toBe(401);
	expect((await refresh(server, tokens.access)).json.error).toBe('invalid_grant');
	expect((await refresh(server, server.owner.key)).json.error).toBe('invalid_grant');
});

test('revoking an unknown token succeeds, revoking a missing one or an API key fails', async () => {
	const server = await createTestServer();
	const unknown = await revoke(server, `svr_${'a'.repeat(43)}`);
	expect([unknown.status, unknown.text]).toEqual([200, '']);
	expect((await postForm(server.app, '/oauth/revoke', client)).json.error).toBe('invalid_request');
	expect((await revoke(server, server.owner.key)).json.error).toBe('unsupported_token_type');
	expect(await statusOf(server, server.owner.key)).toBe(200);
});

test('[26] setting the clock back by hours does not extend the grace period of a used refresh token', async () => {
	const server = await createTestServer();
	const {refresh: stolen} = await logIn(server);
	const {json: next} = await refresh(server, stolen);
	server.advance(-5 * 60 * minute);
	expect((await refresh(server, stolen)).json.error).toBe('invalid_grant');
	expect(await statusOf(server, next.access_token)).toBe(401);
});
