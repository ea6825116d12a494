import {expect, test} from 'vitest';
import {groupBy} from '../../../src/core/group-by.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {createBrowser} from '../pages/browser.ts';

const path = '/api/v1/org/acme/members';

const add = (server: TestServer, email: string, {key, role}: {key?: string; role?: string} = {}) =>
	server.send(path, {method: 'POST', body: {email, ...(role && {role})}, ...(key && {key})});
const change = (server: TestServer, userId: string, role: string, key?: string) =>
	server.send(`${path}/${userId}`, {method: 'PATCH', body: {role}, ...(key && {key})});
const remove = (server: TestServer, userId: string, key?: string) =>
	server.send(`${path}/${userId}`, {method: 'DELETE', ...(key && {key})});

test('a new user gets a code once, sets a password with it, and is listed with their role', async () => {
	const server = await createTestServer();
	const {status, json} = await add(server, ' Grace@Acme.example ', {role: 'admin'});
	expect([status, json]).toEqual([
		200,
		{
			user_id: expect.any(String),
			email: 'grace@acme.example',
			role: 'admin',
			created_at: '2026-03-01T12:00:00.000Z',
			suspended_at: null,
			is_new: true,
			password_code: expect.stringMatching(/^svp_/),
		},
	]);
	const browser = createBrowser(server.app);
	await browser.open('/password');
	const chosen = {code: json.password_code, password: 'correct horse', repeated: 'correct horse'};
	expect((await browser.submit('/password', chosen)).title).toBe('Your password is saved');
	await browser.open('/password');
	expect((await browser.submit('/password', chosen)).problem).toBeDefined();

	const listed = await server.send(path);
	expect(listed.json.items.map(({email, role}: Record<string, string>) => [email, role])).toEqual([
		['grace@acme.example', 'admin'],
		['owner@acme.example', 'owner'],
	]);
	expect((await server.send(`${path}?email=GRACE@acme.example`)).json.total).toBe(1);
	expect(listed.text).not.toContain('svp_');
});

test('a member is not added twice, and an invalid address or role not at all', async () => {
	const server = await createTestServer();
	await add(server, 'grace@acme.example');
	const again = await add(server, 'GRACE@acme.example', {role: 'admin'});
	expect([again.status, again.json.type]).toEqual([409, 'member_exists_error']);
	expect((await server.send(`${path}?email=grace@acme.example`)).json.items[0].role).toBe('member');
	expect((await add(server, 'grace')).json.errors[0].loc).toEqual(['body', 'email']);
	expect((await add(server, 'x@acme.example', {role: 'god'})).status).toBe(422);
	expect((await server.send(path)).json.total).toBe(2);
});

test('[30] only owners make owners, and nobody changes their own role or takes the last owner away', async () => {
	const server = await createTestServer();
	const {owner} = server;
	const [admin, member] = [await server.join('admin'), await server.join('member')];
	const statuses = async (...answers: Promise<{status: number}>[]) =>
		(await Promise.all(answers)).map(({status}) => status);
	expect(
		await statuses(
			add(server, 'x@acme.example', {key: admin.key, role: 'owner'}),
			change(server, member.id, 'owner', admin.key),
			change(server, owner.id, 'member', admin.key),
			remove(server, owner.id, admin.key),
		),
	).toEqual([403, 403, 403, 403]);

	const self = await change(server, admin.id, 'member', admin.key);
	expect([self.status, self.json.detail]).toEqual([
		409,
		'You can’t change your own role. Ask another admin or owner to do it.',
	]);
	const last = await remove(server, owner.id);
	expect([last.status, last.json.detail]).toEqual([
		409,
		'“acme” needs at least one owner. Make another member an owner first.',
	]);
	expect((await change(server, member.id, 'owner')).json.role).toBe('owner');
	expect((await change(server, owner.id, 'member', member.key)).status).toBe(200);
	expect((await remove(server, owner.id, member.key)).json).toEqual({user_id: owner.id, removed: true, sandboxes: 0});
	expect((await server.send(path)).status).toBe(404);
});

test('[30] an organization whose other owner is suspended keeps the one who can act', async () => {
	const server = await createTestServer();
	const other = await server.join('owner');
	const {database} = server;
	const suspend = (suspended_at: string | null) =>
		database.updateTable('users').set({suspended_at}).where('id', '=', other.id).execute();
	await suspend('2030-01-01T00:00:00.000Z');
	expect((await remove(server, server.owner.id)).status).toBe(409);
	await suspend(null);
	expect((await remove(server, server.owner.id)).status).toBe(200);
});

test('[30] two owners who demote or remove each other at the same time leave one', async () => {
	for (const act of [
		(server: TestServer, id: string, key: string) => change(server, id, 'member', key),
		(server: TestServer, id: string, key: string) => remove(server, id, key),
	]) {
		const server = await createTestServer();
		const other = await server.join('owner');
		const answers = await Promise.all([
			act(server, other.id, server.owner.key),
			act(server, server.owner.id, other.key),
		]);
		expect(answers.map(({status}) => status).filter(status => status === 200)).toHaveLength(1);
		const owners = await server.database.selectFrom('members').select('user_id').where('role', '=', 'owner').execute();
		expect(owners).toHaveLength(1);
	}
});

test('[30] an address that another organization added first is added by administrators of the server alone', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const squatted = {method: 'POST', body: {email: 'boss@acme.example'}};
	expect((await server.send('/api/v1/org/rival/members', {...squatted, key: rival.key})).status).toBe(200);
	const admin = await server.join('admin');
	const refused = await add(server, 'boss@acme.example', {key: admin.key});
	expect([refused.status, refused.json.detail]).toEqual([
		409,
		'Another organization added “boss@acme.example” to this server. Ask an administrator of the server.',
	]);
	// The owner of the first organization administers the server.
	const added = await add(server, 'boss@acme.example');
	expect([added.status, added.json.is_new, added.json.password_code]).toEqual([200, false, null]);
});

test('500 members are added at once, each once, with one entry and without an error of the server', async () => {
	const server = await createTestServer();
	const emails = Array.from({length: 250}, (_, index) => `user-${index}@acme.example`);
	// A busy machine makes those wait for long who come last: they are told to ask later.
	const settle = async (email: string) => {
		for (;;) {
			const answer = await add(server, email);
			if (answer.status !== 429) {
				return answer;
			}
		}
	};
	const answers = await Promise.all([...emails, ...emails].map(settle));
	const statuses = Object.fromEntries(
		[...groupBy(answers, ({status}) => status)].map(([status, {length}]) => [status, length]),
	);
	expect(statuses).toEqual({200: 250, 409: 250});
	expect((await server.send(path)).json.total).toBe(251);
	const {entries} = await server.database
		.selectFrom('audit_log')
		.select(({fn}) => fn.countAll<number>().as('entries'))
		.where('act', '=', 'member.add')
		.executeTakeFirstOrThrow();
	expect(entries).toBe(250);
});
