import {expect, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {addMember, removeMember} from '../../../src/server/accounts/members.ts';
import {emptyDatabase} from '../database/engine.ts';
import {createTestServer, inWorkspace, scope} from '../harness.ts';

const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'Ada@Example.com'};

async function prepare() {
	const database = await emptyDatabase();
	return {database, services: {database, now: () => new Date('2026-03-01T12:00:00.000Z')}};
}

/** Returns the code and message of a promise's error. */
async function failure(promise: Promise<unknown>) {
	const error = await promise.catch((thrown: unknown) => thrown);
	return error instanceof AppError ? [error.code, error.message] : ['no error'];
}

test('members join with a role and a key, and their role can change', async () => {
	const {database, services} = await prepare();
	await initialize(services, beginning);
	const joined = await addMember(services, {organization: 'acme', email: 'bob@example.com', role: 'member'});
	expect(joined.apiKey?.reveal()).toMatch(/^svc_/);
	const promoted = await addMember(services, {organization: 'acme', email: 'BOB@example.com', role: 'admin'});
	expect(promoted).toEqual({userId: joined.userId, role: 'admin', apiKey: undefined});
	expect(await addMember(services, {organization: 'acme', email: 'bob@example.com'})).toEqual(promoted);
	const roles = await database.selectFrom('members').select('role').where('user_id', '=', joined.userId).execute();
	expect(roles).toEqual([{role: 'admin'}]);
});

test('the last owner stays an owner', async () => {
	const {services} = await prepare();
	await initialize(services, beginning);
	const step = {organization: 'acme', email: beginning.email, role: 'member'} as const;
	expect(await failure(addMember(services, step))).toEqual(['conflict', '“acme” needs at least one owner.']);
	await addMember(services, {organization: 'acme', email: 'bob@example.com', role: 'owner'});
	expect((await addMember(services, step)).apiKey).toBeUndefined();
});

test("joining an organization that doesn't exist fails", async () => {
	const {services} = await prepare();
	const joining = addMember(services, {organization: 'none', email: 'bob@example.com', role: 'member'});
	expect(await failure(joining)).toEqual(['not-found', 'Organization not found: “none”.']);
});

test('[26] a removed member has no access with any key from the next request on, and can join again', async () => {
	const server = await createTestServer();
	const grace = await server.join('admin');
	const users = server.database.selectFrom('users').select('email').where('id', '=', grace.id);
	const {email} = await users.executeTakeFirstOrThrow();
	const asGrace = (path: string) => server.send(path, {key: grace.key});
	expect((await asGrace(`${inWorkspace}/runtimes`)).status).toBe(200);

	const left = {organization: scope.org, email: email.toUpperCase()};
	expect(await removeMember(server.services, left)).toEqual({userId: grace.id, sandboxes: 0});
	expect((await asGrace(`${inWorkspace}/runtimes`)).status).toBe(404);
	expect((await asGrace('/api/v1/org')).json).toMatchObject({items: [], total: 0});
	// Their account is theirs: they may belong to other organizations.
	expect((await asGrace('/api/v1/user/preferences')).status).toBe(200);
	expect(await failure(removeMember(server.services, left))).toEqual([
		'not-found',
		`“${left.email}” is not a member of “${scope.org}”.`,
	]);

	await addMember(server.services, {...left, role: 'member'});
	expect((await asGrace(`${inWorkspace}/runtimes`)).status).toBe(200);
});

test('an organization keeps an owner, even if its owners leave at the same time', async () => {
	const {database, services} = await prepare();
	await initialize(services, beginning);
	const ada = {organization: 'acme', email: beginning.email};
	const bob = {organization: 'acme', email: 'bob@example.com'};
	expect(await failure(removeMember(services, ada))).toEqual(['conflict', '“acme” needs at least one owner.']);
	await addMember(services, {...bob, role: 'owner'});
	const results = await Promise.allSettled([
		removeMember(services, ada),
		addMember(services, {...bob, role: 'member'}),
	]);
	expect(results.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected']);
	expect(await database.selectFrom('members').select('role').where('role', '=', 'owner').execute()).toHaveLength(1);
});

test('nobody is removed from an organization that does not exist', async () => {
	const {services} = await prepare();
	const leaving = removeMember(services, {organization: 'none', email: 'bob@example.com'});
	expect(await failure(leaving)).toEqual(['not-found', 'Organization not found: “none”.']);
});
