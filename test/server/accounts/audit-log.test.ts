import fc from 'fast-check';
import {sql} from 'kysely';
import {describe, expect, test} from 'vitest';
import {type OperationId, operations} from '../../../src/contract/extensions.ts';
import {setAdministrator} from '../../../src/server/accounts/administrators.ts';
import type {AuditedAct} from '../../../src/server/accounts/audit-log.ts';
import {addMember, removeMember} from '../../../src/server/accounts/members.ts';
import {changeCredits} from '../../../src/server/credits/change.ts';
import {clientAddressHeader} from '../../../src/server/kit/client-address.ts';
import {changeLimits} from '../../../src/server/sandboxes/organization-limits.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer, scope, type TestServer} from '../harness.ts';
import {callOf, populate, refresh} from '../populated.ts';

/** The operations that administer something, with what they enter. Every other one enters nothing. */
const administering: Partial<Record<OperationId, AuditedAct>> = {
	updateOrganization: 'organization.update',
	removeMemberLimit: 'member.unlimit',
	createApiKey: 'key.create',
	revokeApiKey: 'key.revoke',
	updateApiKey: 'key.limit',
	createWorkspace: 'workspace.create',
	updateWorkspace: 'workspace.rename',
	createProject: 'project.create',
	updateProject: 'project.rename',
	addMember: 'member.add',
	updateMember: 'member.role',
	removeMember: 'member.remove',
	createInvitation: 'member.invite',
	revokeInvitation: 'member.uninvite',
	suspendUser: 'user.suspend',
	reinstateUser: 'user.reinstate',
	suspendOrganization: 'organization.suspend',
	reinstateOrganization: 'organization.reinstate',
	deleteProject: 'project.delete',
	deleteOrganization: 'organization.delete',
	deleteServerOrganization: 'organization.delete',
};

/** What needs a code of an app, or starts a process; neither administers anything. */
const unasked: readonly OperationId[] = [
	'verifyMfaEnrollment',
	'createEnvironment',
	'stopEnvironment',
	'resumeRuntime',
];

const writing = (Object.keys(operations) as OperationId[]).filter(
	id => operations[id].method !== 'GET' && !unasked.includes(id),
);

const entriesOf = ({database}: TestServer) =>
	database.selectFrom('audit_log').selectAll().orderBy('at').orderBy('id').execute();

describe.each(writing)('%s', id => {
	test('[29] enters one act in the log if it administers something, and nothing if it fails', async () => {
		const server = await createTestServer();
		const fresh = await refresh(server, id, await populate(server));
		const before = await entriesOf(server);
		const {path, ...sent} = callOf(id, fresh);
		const headers = {[clientAddressHeader]: '::ffff:192.0.2.7'};
		expect((await server.send(path, {...sent, headers, key: ''})).status).toBe(401);
		expect(await entriesOf(server)).toEqual(before);
		const answer = await server.send(path, {...sent, headers});
		expect(answer.status, answer.text).toBeLessThan(300);
		const known = new Set(before.map(entry => entry.id));
		const added = (await entriesOf(server)).filter(entry => !known.has(entry.id));
		const act = administering[id];
		expect(added).toEqual(
			act === undefined
				? []
				: [
						expect.objectContaining({
							act,
							actor: 'owner@acme.example',
							actor_id: server.owner.id,
							address: '192.0.2.7',
							request_id: answer.headers.get('x-request-id'),
						}),
					],
		);
		expect(JSON.stringify(added)).not.toMatch(/sv[acdiprsx]_[\w-]{43}/);
	});
});

test('[29] what was administered is undone if it can’t be entered', async () => {
	for (const id of Object.keys(administering) as OperationId[]) {
		const server = await createTestServer();
		const fresh = await refresh(server, id, await populate(server));
		await sql`alter table audit_log rename to moved`.execute(server.database);
		const before = await contentsWithLog(server);
		const {path, ...sent} = callOf(id, fresh);
		const {status} = await server.send(path, sent);
		expect([id, status >= 500]).toEqual([id, true]);
		await sql`alter table moved rename to audit_log`.execute(server.database);
		expect(await contentsOf(server.database)).toEqual(before);
	}
});

/** Returns the contents with the log under its own name. */
async function contentsWithLog(server: TestServer) {
	await sql`alter table moved rename to audit_log`.execute(server.database);
	const contents = await contentsOf(server.database);
	await sql`alter table audit_log rename to moved`.execute(server.database);
	return contents;
}

test('[29] after random acts of anyone, the log has one entry for each that succeeded, and older ones are as they were', async () => {
	const server = await createTestServer();
	const parameters = await populate(server);
	const askers = [server.owner, await server.join('admin'), await server.join('member'), await server.foundAnother()];
	// Without its organization, nobody could do anything more.
	const ids = (Object.keys(administering) as OperationId[]).filter(id => id !== 'deleteOrganization');
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...askers)), {minLength: 1, maxLength: 4}),
			async steps => {
				for (const [id, {key}] of steps) {
					const fresh = await refresh(server, id, parameters);
					server.advance(1);
					const before = await entriesOf(server);
					const {path, ...sent} = callOf(id, fresh);
					const {status} = await server.send(path, {...sent, key});
					const after = await entriesOf(server);
					expect(after.slice(0, before.length)).toEqual(before);
					expect(after.slice(before.length).map(({act}) => act)).toEqual(status < 300 ? [administering[id]] : []);
				}
			},
		),
	);
});

test('[29] the deletion of what belongs to somebody else is in the log, that of what is one’s own is not', async () => {
	const server = await createTestServer();
	const parameters = await populate(server);
	const admin = await server.join('admin');
	for (const id of ['deleteSession', 'deleteEnvironment'] as const) {
		for (const {key, entered} of [
			{key: server.owner.key, entered: []},
			{key: admin.key, entered: [id === 'deleteSession' ? 'session.delete' : 'environment.delete']},
		]) {
			const before = await entriesOf(server);
			const {path, ...sent} = callOf(id, await refresh(server, id, parameters));
			expect((await server.send(path, {...sent, key})).status).toBe(204);
			const known = new Set(before.map(entry => entry.id));
			const added = (await entriesOf(server)).filter(entry => !known.has(entry.id));
			expect(added.map(({act}) => act)).toEqual(entered);
		}
	}
});

test('[29] the operator’s acts are in the log, and looking at limits and credits is none', async () => {
	const server = await createTestServer();
	const {services} = server;
	const grace = {organization: scope.org, email: 'Grace@acme.example'};
	await changeLimits(services, {organization: scope.org});
	await changeCredits(services, {organization: scope.org});
	expect((await entriesOf(server)).map(({act}) => act)).toEqual(['organization.create']);
	for (const act of [
		() => addMember(services, grace),
		() => addMember(services, {...grace, role: 'admin'}),
		() => removeMember(services, grace),
		() => changeLimits(services, {organization: scope.org, max: 60}),
		() => changeCredits(services, {organization: scope.org, grant: 5}),
		() => setAdministrator(services, {email: grace.email, isAdministrator: true}),
	]) {
		server.advance(1);
		await act();
	}

	const {json} = await server.send('/api/v1/admin/audit-log?limit=200');
	type Shown = Readonly<Record<string, unknown>>;
	expect(json.items.map(({act, actor, subject, organization}: Shown) => [act, actor, subject, organization])).toEqual(
		[
			['organization.create', 'operator', 'acme', 'acme'],
			['member.add', 'operator', 'grace@acme.example', 'acme'],
			['member.role', 'operator', 'grace@acme.example', 'acme'],
			['member.remove', 'operator', 'grace@acme.example', 'acme'],
			['organization.limits', 'operator', 'acme', 'acme'],
			['organization.credits', 'operator', 'acme', 'acme'],
			['user.administrator', 'operator', 'grace@acme.example', null],
		].toReversed(),
	);
	const own = await server.send('/api/v1/org/acme/audit-log');
	expect(own.json.items.map(({act}: Shown) => act)).not.toContain('user.administrator');
});

test('the parts of the log follow each other without a gap while it grows', async () => {
	const server = await createTestServer();
	const rename = (name: string) => server.send('/api/v1/org/acme', {method: 'PATCH', body: {name}});
	for (let count = 0; count < 9; count++) {
		await rename(`Acme ${count}`);
	}

	const seen: string[] = [];
	for (let cursor = ''; ; ) {
		const {json} = await server.send(`/api/v1/org/acme/audit-log?limit=4${cursor && `&cursor=${cursor}`}`);
		seen.push(...json.items.map(({id}: {readonly id: string}) => id));
		if (json.next_cursor === null) {
			break;
		}

		cursor = json.next_cursor;
		server.advance(1);
		await rename('Acme later');
	}

	expect([seen.length, new Set(seen).size]).toEqual([10, 10]);
	const later = '2026-03-01T12:00:00.001Z';
	const parts = await Promise.all(
		[`since=${later}`, `until=${later}`].map(query => server.send(`/api/v1/org/acme/audit-log?${query}`)),
	);
	expect(parts.map(({json}) => json.items.length)).toEqual([2, 10]);
});

test.each([
	['cursor', 'x'],
	['cursor', Buffer.from('["2026-03-01T12:00:00.000Z","%"]').toString('base64url')],
	['limit', '0'],
	['limit', '201'],
	['since', 'yesterday'],
])('a %s of “%s” is 422', async (name, value) => {
	const server = await createTestServer();
	const {status, json} = await server.send(`/api/v1/org/acme/audit-log?${name}=${encodeURIComponent(value)}`);
	expect([status, json.errors[0].loc]).toEqual([422, ['query', name]]);
});
