import {expect, test} from 'vitest';
import {createTestServer} from '../harness.ts';
import {push, spanId} from './push.ts';

const run = '77777777-7777-4777-8777-777777777777';
const [lost, owner] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const execution = (id: string) => ({'service.workflow.execution.id': id});

test('an execution that lost its run adds nothing to it below a span that it sent before', async () => {
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
