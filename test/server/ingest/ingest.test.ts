import {createHash, randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {type Given, push, timeAt, toRequest, tracesPath} from './push.ts';

const conversation = '88888888-8888-4888-8888-888888888888';
const unarchive = `${inWorkspace}/sessions/${conversation}/unarchive`;

const call = (id: number, parent = '1'): Given => ({
	id: String(id),
	parent,
	start: id,
	attributes: {'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 10},
});

const root: Given = {id: '1', end: 50, attributes: {'gen_ai.conversation.id': conversation}};

test('concurrent requests lose nothing and count nothing twice', async () => {
	const server = await createTestServer();
	const requests = Array.from({length: 12}, (_, index) => [call(index + 2), call(100), ...(index === 6 ? [root] : [])]);
	const answers = await Promise.all(requests.map(spans => push(server, spans)));
	expect(answers).toEqual(requests.map(() => ({})));
	const {json} = await server.send(unarchive, {method: 'POST'});
	expect(json.usage).toMatchObject({total_output_tokens: 130, total_message_count: 13, total_cost_usd: null});
});

test('a span that is repeated in one request counts once, with its first version', async () => {
	const server = await createTestServer();
	const later: Given = {...call(2), name: 'later', attributes: {'gen_ai.usage.output_tokens': 1000}};
	expect(await push(server, [root, {...call(2), name: 'first'}, later])).toEqual({});
	const spans = await server.database.selectFrom('spans').select('name').orderBy('started_at_us').execute();
	expect(spans.map(({name}) => name)).toEqual(['1', 'first']);
	const {json} = await server.send(unarchive, {method: 'POST'});
	expect(json.usage).toMatchObject({total_output_tokens: 10, total_message_count: 1});
});

test('two organizations that name one UUID concurrently each get their own resources', {repeats: 4}, async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const spans = Array.from({length: 30}, (_, index) => ({
		id: String(index + 1),
		attributes: {
			'gen_ai.conversation.id': randomUUID(),
			'service.airt.assessment.id': randomUUID(),
			'service.workflow.run.id': randomUUID(),
			'service.item.id': randomUUID(),
			'service.item.type': 'notes',
			'service.item.data': '{}',
		},
	}));
	const body = toRequest(spans);
	const answers = await Promise.all([
		server.send(tracesPath, {method: 'POST', body}),
		server.send('/api/v1/org/rival/otel/traces', {method: 'POST', body, key: rival.key}),
	]);
	expect(answers.map(({status, json}) => [status, json])).toEqual([
		[200, {}],
		[200, {}],
	]);
	for (const table of ['sessions', 'assessments', 'workflow_runs', 'items'] as const) {
		expect(await server.database.selectFrom(table).select('id').execute()).toHaveLength(60);
	}
});

test('2,000 spans in a chain whose root arrives last all belong to its conversation', async () => {
	const server = await createTestServer();
	const chain = Array.from({length: 2000}, (_, index) => ({id: String(index + 2), parent: String(index + 1)}));
	await push(server, chain);
	await push(server, [root]);
	const {count} = await server.database
		.selectFrom('spans')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('session_id', '=', conversation)
		.executeTakeFirstOrThrow();
	expect(Number(count)).toBe(2001);
});

test('spans that are their own ancestors belong to nothing and cause no loop', async () => {
	const server = await createTestServer();
	const spans = [
		{id: '1', parent: '2'},
		{id: '2', parent: '1'},
		{id: '3', parent: '3'},
	];
	expect(await push(server, spans)).toEqual({});
	const rows = await server.database.selectFrom('spans').select('session_id').execute();
	expect(rows).toEqual(spans.map(() => ({session_id: null})));
});

test('a session is frozen by its spans, and unknown words are ignored', async () => {
	const server = await createTestServer();
	const attributes = {
		...root.attributes,
		'service.session.frozen_by': 'evaluation',
		'service.session.origin': 'nowhere',
		'service.session.visibility': 'public',
		'service.session.labels': {team: 'red'},
		'service.runtime.id': 'not a uuid',
	};
	await push(server, [{...root, attributes}]);
	const {json} = await server.send(unarchive, {method: 'POST'});
	expect(json).toMatchObject({
		frozen_by: 'evaluation',
		frozen_at: timeAt(50),
		origin: 'user',
		visibility: 'private',
		labels: {},
		runtime_id: null,
	});
});

test('a conversation that is not a UUID always has the same derived id', async () => {
	const server = await createTestServer();
	const say = (id: string, trace: string) => ({id, trace, attributes: {'gen_ai.conversation.id': 'thread-\0-1'}});
	await push(server, [say('1', '1')]);
	await push(server, [say('1', '2')]);
	expect(await server.database.selectFrom('sessions').select(['id', 'conversation_id']).execute()).toEqual([
		{
			id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
			conversation_id: 'thread-\uFFFD-1',
		},
	]);
});

test('attributes of any type in any place never cause an error', async () => {
	const server = await createTestServer();
	// PostgreSQL would compress a repetitive text, and index it.
	const long = Array.from({length: 100}, (_, index) => createHash('sha256').update(String(index)).digest('hex')).join(
		'',
	);
	const json = JSON.stringify([{oid: long}, {oid: 'a', size_bytes: 2 ** 60}, 1]);
	const values = [long, json, '', '{', '[]', '{"a":', 'null', -1, 0.5, 1e300, true, '\ud800', '%', "'", '__proto__'];
	const keys = [
		...[
			'gen_ai.conversation.id',
			'gen_ai.operation.name',
			'gen_ai.response.id',
			'gen_ai.response.model',
			'gen_ai.system',
		],
		...['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.input.messages', 'gen_ai.tool.call.id'],
		...['service.span.type', 'service.usage.cost_usd', 'service.session.labels', 'service.evaluation.id'],
		...['service.evaluation.item_count', 'service.airt.assessment.id', 'service.airt.assessment.sandbox'],
		...['service.airt.attack.best_score', 'service.airt.attack.severity', 'service.airt.attack.created_at'],
		...['service.airt.trial.score', 'service.airt.trial.tool_calls', 'service.workflow.run.id', 'service.item.type'],
		...['service.item.id', 'service.item.data', 'service.item.json_schema', 'dreadnode.artifacts'],
	];
	const spans = values.flatMap((value, row) =>
		['chat', 'execute_tool', 'attack', 'trial', 'assessment', 'workflow_run'].map((type, column) => ({
			id: String(row * 10 + column + 1),
			trace: String(row + 1),
			...(column > 2 && {parent: String(row * 10 + 3)}),
			attributes: {
				'service.airt.assessment.id': 'a',
				...Object.fromEntries(keys.map(key => [key, value])),
				'service.span.type': type,
			},
		})),
	);
	expect(await push(server, spans)).toEqual({});
	expect(server.entries.filter(({level}) => level === 'error')).toEqual([]);
});
