import {expect, test} from 'vitest';
import {itemSchemasSchema, runItemSchema} from '../../../src/contract/resources/item.ts';
import {builtInSchemas} from '../../../src/server/handlers/items.ts';
import {createTestServer, inWorkspace, scope, type TestServer} from '../harness.ts';
import {type Given, push, timeAt} from '../ingest/push.ts';

const runId = '55555555-5555-4555-8555-555555555555';
const session = '66666666-6666-4666-8666-666666666666';
const item = '77777777-7777-4777-8777-777777777777';

const spans: readonly Given[] = [
	{
		id: '2',
		parent: '1',
		start: 1,
		attributes: {
			'gen_ai.conversation.id': session,
			'service.item.type': 'findings',
			'service.item.id': item,
			'service.item.ref': 'F-1',
			'service.item.data': {title: 'Open port', severity: 'low'},
			'service.workflow.unit': 'scan',
		},
		events: [
			{
				name: 'service.item',
				at: 1.5,
				attributes: {'service.item.type': 'hosts', 'service.item.data': {name: 'a'}, 'service.item.schema_ref': 'h@1'},
			},
			{name: 'service.item', at: 1.6, attributes: {'service.item.type': 'hosts', 'service.item.data': 'no object'}},
			{name: 'log', at: 1.7, attributes: {'service.item.type': 'hosts', 'service.item.data': {name: 'b'}}},
		],
	},
	{id: '1', end: 9, attributes: {'service.workflow.run.id': runId, 'service.workflow.run.title': 'Sweep'}},
	// In the same session, but outside the run's trace.
	{
		id: '3',
		trace: '2',
		start: 20,
		attributes: {'gen_ai.conversation.id': session, 'service.item.type': 'mystery', 'service.item.data': {a: 1}},
	},
];

async function runItems(server: TestServer, query = '') {
	const {id} = await server.database
		.selectFrom('projects')
		.select('id')
		.orderBy('created_at')
		.executeTakeFirstOrThrow();
	return server.send(`${inWorkspace}/workflows/runs/${runId}/items?project_id=${id}${query}`);
}

const common = {run_title: 'Sweep', workflow_run_id: runId, session_id: session};

test('a run lists what its spans and its sessions recorded, in any order of arrival', async () => {
	const server = await createTestServer();
	await push(server, spans.slice(0, 1));
	await push(server, spans.slice(1));
	const {status, json} = await runItems(server);
	expect([status, json]).toEqual([
		200,
		[
			{
				...common,
				created_at: timeAt(1.5),
				data: {name: 'a'},
				id: expect.any(String),
				item_type: 'hosts',
				ref: null,
				schema_ref: 'h@1',
				workflow_unit: null,
			},
			{
				...common,
				created_at: timeAt(2),
				data: {title: 'Open port', severity: 'low'},
				id: item,
				item_type: 'findings',
				ref: 'F-1',
				schema_ref: null,
				workflow_unit: 'scan',
			},
			{
				...common,
				created_at: timeAt(21),
				data: {a: 1},
				id: expect.any(String),
				item_type: 'mystery',
				ref: null,
				schema_ref: null,
				workflow_unit: null,
			},
		],
	]);
	expect(json.map((each: unknown) => runItemSchema.parse(each))).toEqual(json);
	expect((await runItems(server, '&item_type=hosts')).json).toHaveLength(1);
	expect((await runItems(server, '&limit=2')).json).toHaveLength(2);
	expect((await runItems(server, '&limit=1001')).status).toBe(422);
});

test('an item that is recorded again has the data of the later span', async () => {
	const server = await createTestServer();
	const say = (id: string, start: number, title: string) => ({
		id,
		start,
		attributes: {
			'service.workflow.run.id': runId,
			'service.item.type': 'notes',
			'service.item.id': 'one',
			'service.item.data': {text: title},
		},
	});
	await push(server, [say('2', 5, 'new')]);
	await push(server, [say('1', 1, 'old')]);
	expect((await runItems(server)).json.map(({data}: {data: unknown}) => data)).toEqual([{text: 'new'}]);
});

test('item types have declared or built-in schemas, and types without one are omitted', async () => {
	const server = await createTestServer();
	const path = `${inWorkspace}/projects/${scope.project}/items/schemas`;
	expect((await server.send(path)).json).toEqual({schemas: []});
	const declare = (id: string, start: number, version: string) => ({
		id,
		start,
		trace: '9',
		attributes: {
			'service.item.type': 'hosts',
			'service.item.schema_ref': 'h@1',
			'service.item.json_schema': {type: 'object', title: version},
			'service.capability.name': 'recon',
			'service.capability.version': version,
		},
	});
	await push(server, [...spans, declare('1', 3, '1.1')]);
	await push(server, [declare('2', 2, '1.0')]);
	const {json} = await server.send(path);
	expect(json).toEqual({
		schemas: [
			{
				capability: null,
				capability_version: null,
				item_type: 'findings',
				json_schema: builtInSchemas['findings'],
				schema_ref: null,
			},
			{
				capability: 'recon',
				capability_version: '1.1',
				item_type: 'hosts',
				json_schema: {type: 'object', title: '1.1'},
				schema_ref: 'h@1',
			},
		],
	});
	expect(itemSchemasSchema.parse(json)).toEqual(json);
});

test('a run never goes back to an earlier state, in whatever order its spans arrive', async () => {
	const server = await createTestServer();
	const say = (id: string, attributes: Readonly<Record<string, string>>) =>
		push(server, [{id, attributes: {'service.workflow.run.id': runId, ...attributes}}]);
	const status = () => server.database.selectFrom('workflow_runs').select(['id', 'status']).execute();
	await say('1', {'service.workflow.run.status': 'pending'});
	expect(await status()).toEqual([{id: runId, status: 'pending'}]);
	await say('2', {'service.span.type': 'workflow_run'});
	await say('3', {});
	expect(await status()).toEqual([{id: runId, status: 'completed'}]);
});

test('a run of another project, of others, or an unknown one, is 404 [26]', async () => {
	const server = await createTestServer();
	expect((await runItems(server)).status).toBe(404);
	await push(server, spans);
	const path = `${inWorkspace}/workflows/runs/${runId}/items`;
	expect((await server.send(`${path}?project_id=${runId}`)).status).toBe(404);
	expect((await server.send(path)).status).toBe(422);
});
