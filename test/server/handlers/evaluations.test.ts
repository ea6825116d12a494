import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {push} from '../ingest/push.ts';

const stats = (id: string) => `${inWorkspace}/evaluation/${id}/traces`;

test('the traces of an evaluation are counted over all its spans and items', async () => {
	const server = await createTestServer();
	const item = (id: string, name: string) => ({id, parent: '1', attributes: {'service.evaluation.item.id': name}});
	await push(server, [
		{id: '3', parent: '2', start: 2, failed: true, attributes: {'gen_ai.operation.name': 'chat'}},
		item('2', 'first'),
		item('4', 'second'),
		item('5', 'second'),
	]);
	expect((await server.send(stats('nightly'))).status).toBe(404);
	await push(server, [
		{id: '1', end: 7.5, attributes: {'service.evaluation.id': 'nightly', 'service.evaluation.item_count': 5}},
		{id: '6', trace: '2', attributes: {'service.evaluation.id': 'another'}},
	]);
	expect((await server.send(stats('nightly'))).json).toEqual({
		evaluation_id: 'nightly',
		error_spans: 1,
		root_spans: 1,
		span_types: ['chat', 'internal'],
		total_duration_s: 7.5,
		total_items: 5,
		total_spans: 5,
		traced_items: 2,
		untraced_items: 3,
	});
});

test('a session of an evaluation has that origin, and another organization’s evaluation is 404 [26]', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const id = '44444444-4444-4444-8444-444444444444';
	await push(server, [{id: '1', attributes: {'service.evaluation.id': 'nightly', 'gen_ai.conversation.id': id}}]);
	const {json} = await server.send(`${inWorkspace}/sessions/${id}/unarchive`, {method: 'POST'});
	expect([json.origin, json.model]).toEqual(['eval', 'unknown']);
	const theirs = await server.send('/api/v1/org/rival/ws/main/evaluation/nightly/traces', {key: rival.key});
	expect(theirs.status).toBe(404);
});
