import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {stageSchema} from '../../../src/contract/resources/item.ts';
import {createTestServer, inWorkspace, scope, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

const provenance = {
	capability_name: 'triage',
	capability_version: '1.0',
	platform_session_id: '0b3ad4ff-0000-4000-8000-00000000CAFE',
	root_run_id: 'run-1',
	runtime_id: '5a5a5a5a-0000-4000-8000-000000000001',
};
const action_id = '9d9d9d9d-0000-4000-8000-000000000001';

const pathOf = (itemId: string, project: string = scope.project) =>
	`${inWorkspace}/projects/${project}/items/${itemId}/submission-stages`;
const stage = (server: TestServer, itemId: string, body: object = {action_id, provenance}, key = server.owner.key) =>
	server.send(pathOf(itemId), {method: 'POST', body, key});

/** Adds an item to a project, by default the owner's. */
async function addItem({database}: TestServer, organization: string = scope.org): Promise<string> {
	const id = randomUUID();
	const {organizationId, workspaceId, projectId} = await findProjectOf(database, organization);
	await database
		.insertInto('items')
		.values({
			id,
			organization_id: organizationId,
			workspace_id: workspaceId,
			project_id: projectId,
			session_id: null,
			workflow_run_id: null,
			workflow_unit: null,
			item_type: 'finding',
			schema_ref: null,
			ref: null,
			data: '{}',
			created_at: '2026-03-01T12:00:00.000Z',
		})
		.execute();
	return id;
}

test('a stage is created once, and returned unchanged to later requests', async () => {
	const server = await createTestServer();
	const itemId = await addItem(server);
	const {organizationId, projectId} = await findProjectOf(server.database);
	const made = await stage(server, itemId.toUpperCase());
	expect([made.status, stageSchema.parse(made.json)]).toEqual([
		200,
		{
			id: expect.any(String),
			organization_id: organizationId,
			project_id: projectId,
			item_id: itemId,
			action_id,
			connection_id: expect.any(String),
			provenance,
			status: 'staged',
			submission_id: null,
			created_at: '2026-03-01T12:00:00.000Z',
			updated_at: '2026-03-01T12:00:00.000Z',
		},
	]);

	const {key} = await server.join('member');
	server.advance(1000);
	const again = await stage(server, itemId, {action_id, provenance: {...provenance, root_run_id: 'another'}}, key);
	expect([again.status, again.json]).toEqual([200, made.json]);
});

test('an action has one connection in an organization, whatever the item', async () => {
	const server = await createTestServer();
	const connections = [
		(await stage(server, await addItem(server))).json.connection_id,
		(await stage(server, await addItem(server))).json.connection_id,
		(await stage(server, await addItem(server), {action_id: randomUUID(), provenance})).json.connection_id,
	];
	expect(connections[0]).toBe(connections[1]);
	expect(connections[0]).not.toBe(connections[2]);
});

test('after a stage was dismissed, a new one can be created', async () => {
	const server = await createTestServer();
	const itemId = await addItem(server);
	const {id} = (await stage(server, itemId)).json;
	await server.database.updateTable('stages').set({status: 'dismissed'}).where('id', '=', id).execute();
	const next = await stage(server, itemId);
	expect([next.status, next.json.id === id]).toEqual([200, false]);
});

test('of twenty concurrent requests one creates the stage, and all get it', async () => {
	const server = await createTestServer();
	const itemId = await addItem(server);
	const answers = await Promise.all(Array.from({length: 20}, () => stage(server, itemId)));
	expect(new Set(answers.map(({status, text}) => `${status} ${text}`)).size).toBe(1);
	expect(await server.database.selectFrom('stages').select('id').execute()).toHaveLength(1);
});

test('an item of another project or organization is not found, and nothing is staged', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const theirs = await addItem(server, 'rival');
	const ours = await addItem(server);
	const body = {action_id, provenance};
	const answers = [
		await stage(server, theirs),
		await stage(server, randomUUID()),
		await stage(server, ours, body, rival.key),
		await server.send(pathOf(ours, 'another'), {method: 'POST', body}),
	];
	expect(new Set(answers.map(({status, text}) => `${status} ${text}`)).size).toBe(1);
	expect(answers[0]?.status).toBe(404);
	expect(await server.database.selectFrom('stages').select('id').execute()).toEqual([]);
});

test('an invalid field of a stage is named', async () => {
	const server = await createTestServer();
	const itemId = await addItem(server);
	const {json} = await stage(server, itemId, {action_id: 'x', provenance: {...provenance, span_id: 'x'.repeat(17)}});
	expect([json.code, json.errors.map(({loc}: {loc: string[]}) => loc.join('.'))]).toEqual([
		422,
		['body.action_id', 'body.provenance.span_id'],
	]);
});
