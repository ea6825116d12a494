import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {push, spanId} from './push.ts';

const run = '77777777-7777-4777-8777-777777777777';
const [lost, owner] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const execution = (id: string) => ({'service.workflow.execution.id': id});

test('an execution that lost its run cannot add to it below a span that it sent earlier', async () => {
	const server = await createTestServer();
	const named = {'service.workflow.run.id': run};
	await push(server, [{id: '1', attributes: {...named, ...execution(lost)}}]);
	await server.database.updateTable('workflow_runs').set({execution_id: owner}).where('id', '=', run).execute();
	const item = {'service.item.type': 'note', 'service.item.data': {text: 'late'}};
	const late = [
		{id: '2', parent: '1', attributes: {...item, ...execution(lost)}},
		{id: '3', parent: '2', attributes: {...item, ...execution(lost)}},
		{id: '4', parent: '1', attributes: {...item, ...execution(owner)}},
	];
	expect(await push(server, late)).toEqual({
		partialSuccess: {
			rejectedSpans: '2',
			errorMessage: expect.stringContaining('Another execution has claimed the workflow run.'),
		},
	});
	const items = await server.database.selectFrom('items').select('workflow_run_id').execute();
	expect(items).toEqual([{workflow_run_id: run}]);
	const stored = await server.database.selectFrom('spans').select('span_id').orderBy('span_id').execute();
	expect(stored.map(({span_id}) => span_id)).toEqual(['1', '4'].map(spanId));
});

test('a member who names no execution can neither write to nor complete another user’s claimed run', async () => {
	const server = await createTestServer();
	const {key} = await server.join('member');
	const named = {'service.workflow.run.id': run};
	const item = {'service.item.id': 'first', 'service.item.type': 'note', 'service.item.data': {text: 'mine'}};
	const pending = {'service.workflow.run.status': 'pending'};
	await push(server, [{id: '1', attributes: {...named, ...pending, ...item}}]);
	const {json} = await server.send(`${inWorkspace}/workflows/runs/${run}/claim`, {method: 'POST', body: {}});
	const forged = {...item, 'service.item.data': {text: 'forged'}};
	const spans = [
		{id: '2', attributes: {...named, 'service.span.type': 'workflow_run'}},
		{id: '3', attributes: {...named, 'service.item.type': 'note', 'service.item.data': {text: 'theirs'}}},
		// Without a run of its own, it would take the item out of its run and overwrite it.
		{id: '4', start: 9, attributes: forged},
		{id: '5', start: 9, events: [{name: 'service.item', at: 9, attributes: forged}]},
	];
	expect(await push(server, spans, {key})).toEqual({
		partialSuccess: {rejectedSpans: '4', errorMessage: 'Another execution has claimed the workflow run.'},
	});
	expect(await push(server, [{id: '6', attributes: {...named, ...execution(json.execution_id)}}])).toEqual({});
	const items = await server.database.selectFrom('items').select(['data', 'workflow_run_id']).execute();
	expect(items).toEqual([{data: '{"text":"mine"}', workflow_run_id: run}]);
	const {status} = await server.database.selectFrom('workflow_runs').select('status').executeTakeFirstOrThrow();
	expect(status).toBe('running');
});

test('a rejected span does not pull its earlier descendants into a run', async () => {
	const server = await createTestServer();
	const item = {'service.item.type': 'note', 'service.item.data': {text: 'late'}};
	await push(server, [
		{id: '1', attributes: {'service.workflow.run.id': run}},
		{id: '3', parent: '2', attributes: item},
	]);
	await server.database.updateTable('workflow_runs').set({execution_id: owner}).where('id', '=', run).execute();
	await push(server, [{id: '2', parent: '1', attributes: execution(lost)}]);
	const items = await server.database.selectFrom('items').select('workflow_run_id').execute();
	expect(items).toEqual([{workflow_run_id: null}]);
});
