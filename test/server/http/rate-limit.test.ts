import {expect, test} from 'vitest';
import {createRateLimits} from '../../../src/server/http/rate-limit.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {logIn} from '../oauth/oauth.ts';

const keys = '/api/v1/user/api-keys';
const preferences = '/api/v1/user/preferences';

const create = async (server: TestServer, requests_per_minute: number | null) =>
	(await server.send(keys, {method: 'POST', body: {name: 'ci', requests_per_minute}})).json;

test('an API key sends as many requests a minute as it may, is told what is left, and when to try again', async () => {
	const server = await createTestServer();
	const {key} = await create(server, 2);
	const ask = () => server.send(preferences, {key});
	const first = await ask();
	expect([first.status, first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
		200,
		'"api-key";q=2;w=60',
		'"api-key";r=1;t=60',
	]);
	server.advance(10_500);
	expect((await ask()).headers.get('ratelimit')).toBe('"api-key";r=0;t=50');
	const refused = await ask();
	expect([
		refused.status,
		refused.json.detail,
		refused.headers.get('retry-after'),
		refused.headers.get('ratelimit'),
	]).toEqual([429, 'This API key may send 2 requests a minute. Try again in 50 s.', '50', '"api-key";r=0;t=50']);
	// Another key of the user has its own count, and none without a limit.
	expect((await server.send(preferences)).headers.has('ratelimit')).toBe(false);
	server.advance(49_500);
	expect((await ask()).status).toBe(200);
});

test('[32] logins that a key opened count as the key, and a limit is no one’s to leave with that key', async () => {
	const server = await createTestServer();
	const {id, key} = await create(server, 4);
	const {access} = await logIn(server, {apiKeyId: id});
	for (const credential of [key, access]) {
		const made = await server.send(keys, {method: 'POST', body: {}, key: credential});
		const raised = await server.send(`${keys}/${id}`, {
			method: 'PATCH',
			body: {requests_per_minute: null},
			key: credential,
		});
		expect([made.status, raised.status]).toEqual([403, 403]);
	}

	expect((await server.send(preferences, {key})).status).toBe(429);
	expect((await server.send(preferences, {key: access})).status).toBe(429);
});

test('a limit is set, changed and removed later, for keys of one’s own that are active', async () => {
	const server = await createTestServer();
	const {id, key} = await create(server, null);
	const set = (requests_per_minute: number | null, asker?: string) =>
		server.send(`${keys}/${id}`, {method: 'PATCH', body: {requests_per_minute}, ...(asker && {key: asker})});
	const changed = await set(1);
	expect(changed.json).toMatchObject({id, requests_per_minute: 1});
	expect(changed.text).not.toMatch(/svc_[\w-]{43}/);
	expect((await server.send(keys)).json).toContainEqual(expect.objectContaining({id, requests_per_minute: 1}));
	const statuses = [await server.send(preferences, {key}), await server.send(preferences, {key})];
	expect(statuses.map(({status}) => status)).toEqual([200, 429]);
	expect((await set(null)).json.requests_per_minute).toBeNull();
	expect((await server.send(preferences, {key})).status).toBe(200);
	expect((await set(5, (await server.join('owner')).key)).status).toBe(404);
	for (const invalid of [0, -1, 1.5, 1_000_001]) {
		expect((await set(invalid)).status).toBe(422);
	}

	await server.send(`${keys}/${id}`, {method: 'DELETE'});
	expect((await set(5)).status).toBe(404);
});

test('counts that are over are removed, and a clock that was set back starts a new minute', () => {
	const limits = createRateLimits();
	expect(limits.count('a', 1, 100_000)).toEqual({limit: 1, remaining: 0, seconds: 60, isOver: false});
	expect(limits.count('a', 1, 159_999)).toMatchObject({isOver: true, seconds: 1});
	expect(limits.count('a', 1, 160_000).isOver).toBe(false);
	expect(limits.count('a', 1, 50_000).isOver).toBe(false);
	for (let key = 0; key < 30_000; key++) {
		expect(limits.count(`key-${key}`, 1, 200_000 + key * 100).isOver).toBe(false);
	}
});
