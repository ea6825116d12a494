import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {push, timeAt} from '../ingest/push.ts';
import {assessment, assessmentId, attack} from './attack.ts';

const list = (query = '') => `${inWorkspace}/airt/assessments${query}`;

test('an assessment runs until its own span arrives, which completes it', async () => {
	const server = await createTestServer();
	expect((await server.send(list())).json).toEqual({
		items: [],
		total: 0,
		page: 1,
		page_size: 50,
		next_cursor: null,
		previous_cursor: null,
	});

	const first = attack('1', 10, {severity: 'high'});
	const named = {...first, attributes: {...first.attributes, 'service.airt.assessment.id': assessmentId}};
	await push(server, [named]);
	const running = {
		id: assessmentId,
		name: 'Assessment',
		status: 'running',
		sandbox: null,
		project_id: expect.any(String),
		finding_count: 1,
		created_at: timeAt(10),
		updated_at: timeAt(18),
		completed_at: null,
	};
	expect((await server.send(list())).json.items).toEqual([running]);

	await push(server, [assessment({name: 'Spring check', sandbox: {state: 'killed'}, target_model: 'm', unknown: 1})]);
	expect((await server.send(list())).json).toEqual({
		items: [
			{
				...running,
				name: 'Spring check',
				status: 'completed',
				sandbox: {state: 'killed'},
				target_model: 'm',
				created_at: timeAt(0),
				updated_at: timeAt(100),
				completed_at: timeAt(100),
			},
		],
		total: 1,
		page: 1,
		page_size: 50,
		next_cursor: null,
		previous_cursor: null,
	});
});

test('assessments are listed newest first, page by page', async () => {
	const server = await createTestServer();
	const spans = [1, 2, 3].map(index => ({
		...assessment({name: `check ${index}`}),
		id: String(index),
		start: index,
		failed: index === 2,
		attributes: {
			...assessment({name: `check ${index}`}).attributes,
			'service.airt.assessment.id': assessmentId.replace(/.$/, String(index)),
		},
	}));
	await push(server, spans);
	const {json} = await server.send(list('?page=1&page_size=2'));
	expect(json.items.map(({name, status}: {name: string; status: string}) => [name, status])).toEqual([
		['check 3', 'completed'],
		['check 2', 'failed'],
	]);
	expect([json.total, (await server.send(list('?page=2&page_size=2'))).json.items.length]).toEqual([3, 1]);
});

test('attacks of an unknown assessment are 404, and an assessment without any has an empty list', async () => {
	const server = await createTestServer();
	const attacks = `${inWorkspace}/airt/assessments/${assessmentId}/traces/attacks`;
	expect((await server.send(attacks)).status).toBe(404);
	await push(server, [assessment()]);
	expect((await server.send(attacks)).json).toEqual([]);
	expect((await server.send(list('?page_size=1000'))).status).toBe(422);
});
