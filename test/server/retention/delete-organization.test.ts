import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {parseBucket} from '../../../src/server/artifacts/artifact-location.ts';
import {changeCredits} from '../../../src/server/credits/change.ts';
import {deleteOrganizations} from '../../../src/server/retention/delete-organization.ts';
import {upload} from '../artifacts/artifacts.ts';
import {keys, startS3} from '../artifacts/s3-server.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer, inWorkspace, scope, type TestServer} from '../harness.ts';
import {push} from '../ingest/push.ts';
import {addWorkspace, populate} from '../populated.ts';
import {findProjectOf} from '../rows.ts';
import {addTask} from '../sandboxes/task-folder.ts';

const sweep = (server: TestServer, name: string = randomUUID()) => deleteOrganizations(server.services, {server: name});

/** Opens a server with two organizations that have one of everything, and artifacts in a bucket. */
async function openServer() {
	const clock = {now: () => new Date('2026-03-01T12:00:00.000Z')};
	const s3 = await startS3({now: () => clock.now()});
	const url = `s3://artifacts/all?endpoint=${s3.url}&region=${keys.region}`;
	const artifacts = parseBucket(url, {AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secret});
	const server = await createTestServer({artifacts});
	clock.now = server.services.now;
	const rival = await server.foundAnother();
	await addWorkspace(server, 'lab');
	await populate(server);
	await populate(server, {workspace: 'lab'});
	await populate(server, {org: 'rival', user: rival});
	await upload(server, 'never-referred-to', 'bytes');
	return {server, rival, s3};
}

test('[29] an organization is deleted with everything, after its sandboxes were ended and charged; others stay whole', async () => {
	const {server, rival, s3} = await openServer();
	const {database} = server;
	await changeCredits(server.services, {organization: scope.org, grant: 1000});
	await addTask(server, 'long', {command: ['sleep', '600']});
	const {json: environment} = await server.send(`${inWorkspace}/environments`, {
		method: 'POST',
		body: {task_ref: 'long'},
	});
	expect(environment.state).toBe('ready');
	const {organizationId} = await findProjectOf(database);
	const others = await findProjectOf(database, 'rival');
	const places = await database
		.selectFrom('workspaces')
		.innerJoin('projects', 'projects.workspace_id', 'workspaces.id')
		.select(['workspaces.id as workspaceId', 'projects.id as projectId'])
		.where('organization_id', '=', organizationId)
		.execute();
	const ids = [organizationId, ...places.flatMap(place => Object.values(place))];
	const rowsOf = async (mentioned: readonly string[]) =>
		Object.entries(await contentsOf(database)).flatMap(([table, rows]) =>
			table === 'audit_log' ? [] : rows.filter(row => mentioned.some(each => row.includes(each))),
		);
	const rivals = Object.values(others);
	const before = await rowsOf(rivals);
	expect([ids.length, before.length > 20]).toEqual([5, true]);
	server.advance(90 * 60_000);
	const member = await server.join('member');
	expect((await server.send('/api/v1/org/acme', {method: 'DELETE', key: rival.key})).status).toBe(404);
	expect((await server.send('/api/v1/org/acme', {method: 'DELETE', key: member.key})).status).toBe(403);
	expect((await server.send('/api/v1/org/acme', {method: 'DELETE'})).status).toBe(204);
	expect((await server.send(`${inWorkspace}/sessions`)).status).toBe(403);
	expect((await server.send('/api/v1/admin/organizations/acme/reinstate', {method: 'POST'})).status).toBe(409);

	// It is interrupted once the sandbox was charged.
	const {blobs} = server.services.artifacts;
	const broken = {...blobs, list: () => Promise.reject(new Error('The bucket is away.'))};
	const services = {...server.services, artifacts: {...server.services.artifacts, blobs: broken}};
	await deleteOrganizations(services, {server: 'first'});
	const charges = await database
		.selectFrom('credit_entries')
		.select(['amount', 'reason'])
		.where('organization_id', '=', organizationId)
		.where('amount', '<', 0)
		.execute();
	const spent = charges.reduce((sum, {amount}) => sum + amount, 0);
	expect([charges.length > 1, spent]).toEqual([true, -90]);
	expect(server.entries.filter(({message}) => message === 'organization deletion')).toHaveLength(1);

	// Another server waits until the first one doesn't renew its lease.
	await sweep(server, 'second');
	expect(await database.selectFrom('organizations').select('slug').orderBy('slug').execute()).toHaveLength(2);
	server.advance(3 * 60_000);
	await sweep(server, 'second');
	expect(await rowsOf(ids)).toEqual([]);
	expect(await rowsOf(rivals)).toEqual(before);
	const objects = [...s3.objects.keys()];
	expect([objects.length, objects.every(name => name.includes(others.workspaceId))]).toEqual([1, true]);
	const acts = await database.selectFrom('audit_log').select(['act', 'organization_id', 'actor']).execute();
	expect(acts.filter(({act}) => act === 'organization.delete')).toEqual([
		{act: 'organization.delete', organization_id: organizationId, actor: 'owner@acme.example'},
	]);
	expect((await server.send('/api/v1/org/acme', {method: 'DELETE'})).status).toBe(404);
});

test('an administrator of the server deletes an organization that is suspended, and twice changes nothing more', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const path = '/api/v1/admin/organizations/rival';
	await server.send(`${path}/suspend`, {method: 'POST', body: {}});
	expect((await server.send('/api/v1/org/rival', {method: 'DELETE', key: rival.key})).status).toBe(403);
	expect((await server.send(path, {method: 'DELETE', key: rival.key})).status).toBe(403);
	expect((await server.send(path, {method: 'DELETE'})).status).toBe(204);
	const before = await contentsOf(server.database);
	expect((await server.send(path, {method: 'DELETE'})).status).toBe(204);
	expect(await contentsOf(server.database)).toEqual(before);
	await sweep(server);
	expect((await server.send(path, {method: 'DELETE'})).status).toBe(404);
});

test('a server that stops goes on with no further deletion, and the next one does', async () => {
	const server = await createTestServer();
	await push(server, [{id: '1', attributes: {'gen_ai.conversation.id': 'one'}}]);
	await server.send('/api/v1/org/acme', {method: 'DELETE'});
	const stopped = deleteOrganizations(server.services, {server: 'first', signal: AbortSignal.abort()});
	await expect(stopped).rejects.toThrow('aborted');
	expect(await server.database.selectFrom('spans').select('span_id').execute()).toHaveLength(1);
	await sweep(server);
	expect(await server.database.selectFrom('organizations').select('id').execute()).toEqual([]);
});
