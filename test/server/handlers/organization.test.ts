import {expect, test} from 'vitest';
import {createTestServer, type TestServer} from '../harness.ts';

const update = (server: TestServer, body: object, key = server.owner.key) =>
	server.send('/api/v1/org/acme', {method: 'PATCH', body, key});

const wrongName = 'must be one line of 1 to 100 characters';
const wrong: readonly (readonly [string, unknown, string])[] = [
	['name', '', wrongName],
	['name', ' \t', wrongName],
	['name', 'x'.repeat(101), wrongName],
	['name', 'a\nb', wrongName],
	['name', 'a\u001b[2Jb', wrongName],
	['name', null, 'must be text'],
	['description', 'x'.repeat(2001), 'must have at most 2000 characters'],
	['description', 7, 'must be text'],
	['slug', 'other', 'is not known here'],
];

test('an owner names and describes the organization', async () => {
	const server = await createTestServer();
	await server.join('member');
	server.advance(1000);
	const {status, json} = await update(server, {name: ' Acme Labs 🧪 ', description: ' Agents\nin production '});
	const changed = {
		id: expect.any(String),
		slug: 'acme',
		name: 'Acme Labs 🧪',
		description: 'Agents\nin production',
		can_manage_members: true,
		member_count: 2,
		owner: {id: server.owner.id, email: 'owner@acme.example', username: 'owner@acme.example', full_name: null},
		created_at: '2026-03-01T12:00:00.000Z',
		updated_at: '2026-03-01T12:00:01.000Z',
	};
	expect([status, json]).toEqual([200, changed]);

	server.advance(1000);
	expect((await update(server, {})).json).toEqual(changed);
	const described = (await update(server, {description: null})).json;
	expect(described).toEqual({...changed, description: null, updated_at: '2026-03-01T12:00:02.000Z'});
	expect((await update(server, {description: '  '})).json.description).toBeNull();
	expect((await update(server, {name: 'x'.repeat(100), description: 'x'.repeat(2000)})).status).toBe(200);
});

test('an invalid name or description is rejected with its field, and nothing of the request is stored', async () => {
	const server = await createTestServer();
	for (const [field, value, msg] of wrong) {
		const {json} = await update(server, {name: 'Changed', [field]: value});
		expect([json.code, json.errors]).toEqual([422, [{loc: ['body', field], msg, type: expect.any(String)}]]);
	}

	expect((await update(server, {})).json.name).toBe('acme');
});

test('[26] admins and members may not update it, and another organization is not found', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const keys = [(await server.join('admin')).key, (await server.join('member')).key, rival.key];
	const answers = await Promise.all(keys.map(key => update(server, {name: 'Mine'}, key)));
	expect(answers.map(({status}) => status)).toEqual([403, 403, 404]);
	expect((await update(server, {})).json.name).toBe('acme');
});
