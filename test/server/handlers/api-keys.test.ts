import {expect, test} from 'vitest';
import {problemSchema} from '../../../src/contract/problem.ts';
import {createTestServer, origin, type TestServer} from '../harness.ts';

const path = '/api/v1/user/api-keys';

async function makeKey(server: TestServer, body: object = {}) {
	return (await server.send(path, {method: 'POST', body})).json;
}

test('a key is created, works, is listed without its secret, and is invalid once revoked', async () => {
	const server = await createTestServer();
	const made = await server.send(path, {method: 'POST', body: {name: ' ci '}});
	expect([made.status, made.json]).toEqual([
		200,
		{
			id: expect.any(String),
			name: 'ci',
			prefix: made.json.key.slice(0, 10),
			created_with: expect.any(String),
			key: expect.stringMatching(/^svc_[\w-]{43}$/),
			created_at: '2026-03-01T12:00:00.000Z',
			last_used_at: null,
			expires_at: null,
			requests_per_minute: null,
		},
	]);

	const {id, key} = made.json;
	server.advance(1000);
	const listed = await server.send(path, {key});
	const {key: _, ...record} = made.json;
	expect(listed.json).toContainEqual({...record, last_used_at: '2026-03-01T12:00:01.000Z'});
	expect(listed.text).not.toContain(key.slice(10));

	const revoked = await server.send(`${path}/${id}`, {method: 'DELETE'});
	expect([revoked.status, revoked.text]).toEqual([204, '']);
	expect((await server.send(path, {key})).status).toBe(401);
	expect((await server.send(path)).json).toHaveLength(1);
	expect((await server.send(`${path}/${id}`, {method: 'DELETE'})).status).toBe(404);
});

test('[26] a key revokes itself, and of two concurrent requests one does', async () => {
	const server = await createTestServer();
	const {id, key} = await makeKey(server);
	const answers = await Promise.all([1, 2].map(() => server.send(`${path}/${id}`, {method: 'DELETE'})));
	expect(answers.map(({status}) => status).sort()).toEqual([204, 404]);
	const own = await makeKey(server);
	expect((await server.send(`${path}/${own.id}`, {method: 'DELETE', key: own.key})).status).toBe(204);
	expect((await server.send(path, {key})).status).toBe(401);
});

test('[26] revoking a key also revokes keys created with it and what those opened, but nothing else', async () => {
	const server = await createTestServer();
	const makeWith = async (key: string) => (await server.send(path, {method: 'POST', body: {}, key})).json;
	const stolen = await makeKey(server);
	const child = await makeWith(stolen.key);
	const grandchild = await makeWith(child.key);
	const sibling = await makeKey(server);
	expect([child.created_with, grandchild.created_with]).toEqual([stolen.id, child.id]);
	// A key in the middle that was revoked earlier must not hide the ones below it.
	await server.database.updateTable('api_keys').set({revoked_at: 'x'}).where('id', '=', child.id).execute();
	expect((await server.send(`${path}/${stolen.id}`, {method: 'DELETE'})).status).toBe(204);
	const statuses = [stolen, child, grandchild, sibling].map(async ({key}) => (await server.send(path, {key})).status);
	expect(await Promise.all(statuses)).toEqual([401, 401, 401, 200]);
});

test('[26] keys created while their key is being revoked are revoked, too', async () => {
	const server = await createTestServer();
	const stolen = await makeKey(server);
	const makeWith = async (key: string) => (await server.send(path, {method: 'POST', body: {}, key})).json.key;
	const child = await makeWith(stolen.key);
	const [, ...made] = await Promise.all([
		server.send(`${path}/${stolen.id}`, {method: 'DELETE'}),
		...[stolen.key, child, stolen.key, child].map(makeWith),
	]);
	const statuses = made.map(async key => (await server.send(path, {key: key ?? ''})).status);
	expect(await Promise.all(statuses)).toEqual([401, 401, 401, 401]);
});

test('[26] keys of others are neither listed nor revoked, not even by an owner', async () => {
	const server = await createTestServer();
	const member = await server.join('member');
	const [key] = (await server.send(path, {key: member.key})).json;
	expect((await server.send(path)).json.map(({id}: {id: string}) => id)).not.toContain(key.id);
	const [others, nobodys] = await Promise.all(
		[key.id, '00000000-0000-4000-8000-000000000000'].map(id => server.send(`${path}/${id}`, {method: 'DELETE'})),
	);
	expect([others?.status, others?.text]).toEqual([404, nobodys?.text]);
	expect((await server.send(path, {key: member.key})).status).toBe(200);
});

test('[26] an expired key is 401 and not listed', async () => {
	const server = await createTestServer();
	const {id, key} = await makeKey(server);
	const expires_at = new Date(server.services.now().getTime() + 1000).toISOString();
	await server.database.updateTable('api_keys').set({expires_at}).where('id', '=', id).execute();
	expect((await server.send(path, {key})).json).toHaveLength(2);
	server.advance(1000);
	expect((await server.send(path, {key})).status).toBe(401);
	expect((await server.send(path)).json).toHaveLength(1);
});

test('a key authenticates in X-API-Key, too', async () => {
	const server = await createTestServer();
	const headers = {'x-api-key': server.owner.key};
	expect((await server.send(path, {key: '', headers})).status).toBe(200);
	expect((await server.send(path, {key: '', headers: {'x-api-key': `${server.owner.key}x`}})).status).toBe(401);
});

test.each<[unknown, number]>([
	[{}, 200],
	[{name: ''}, 200],
	[{name: '<b>\u202e'}, 200],
	[{name: 'a\u0000b'}, 422],
	[{name: 'a\nb'}, 422],
	[{name: 'a\ud800b'}, 422],
	[{name: 'x'.repeat(200)}, 200],
	[{name: 'x'.repeat(201)}, 422],
	[{name: 3}, 422],
	[{name: null}, 422],
	[{names: 'ci'}, 422],
	[[], 422],
])('the body %j gets %d', async (body, status) => {
	const server = await createTestServer();
	const answer = await server.send(path, {method: 'POST', body});
	expect(answer.status).toBe(status);
	if (status === 422) {
		expect(problemSchema.parse(answer.json).errors).toHaveLength(1);
		expect((await server.send(path)).json).toHaveLength(1);
	}
});

test('a key without a name needs no body; what needs one says so', async () => {
	const {app, owner} = await createTestServer();
	const post = async (to: string, init: RequestInit = {}) => {
		const headers = {host: '127.0.0.1', authorization: `Bearer ${owner.key}`, ...init.headers};
		const response = await app(new Request(`${origin}${to}`, {method: 'POST', ...init, headers}));
		return [response.status, await response.json()];
	};
	const made = [200, expect.objectContaining({name: null, key: expect.stringMatching(/^svc_/)})];
	expect(await post(path)).toEqual(made);
	expect(await post(path, {headers: {'content-length': '0'}})).toEqual(made);
	expect(await post(path, {body: '', headers: {'content-type': 'application/json'}})).toEqual(made);
	const refused = [400, expect.objectContaining({detail: 'Send the body as application/json.'})];
	expect(await post(path, {headers: {'content-length': '2'}})).toEqual(refused);
	expect(await post(path, {body: 'name=x', headers: {'content-type': 'application/x-www-form-urlencoded'}})).toEqual(
		refused,
	);
	expect(await post('/api/v1/org/acme/ws/main/environments')).toEqual(refused);
});
