import {expect, test} from 'vitest';
import {sessionSchema} from '../../../src/contract/resources/session.ts';
import {createTestServer, inWorkspace} from '../harness.ts';
import {type Given, push, timeAt} from '../ingest/push.ts';

const conversation = '11111111-1111-4111-8111-111111111111';
const unarchive = (id: string) => `${inWorkspace}/sessions/${id}/unarchive`;

/** A turn: the agent and two model calls with a tool call between them. */
const turn: readonly Given[] = [
	{
		id: '1',
		name: 'invoke_agent',
		start: 0,
		end: 10,
		attributes: {
			'gen_ai.operation.name': 'invoke_agent',
			'gen_ai.agent.name': 'scout',
			'gen_ai.conversation.id': conversation,
			'gen_ai.usage.input_tokens': 99_999,
			'service.session.title': 'Read the log',
			'service.session.labels': {team: ['red']},
		},
	},
	{
		id: '2',
		parent: '1',
		start: 1,
		end: 3,
		attributes: {
			'gen_ai.operation.name': 'chat',
			'gen_ai.provider.name': 'anthropic',
			'gen_ai.request.model': 'claude-sonnet-4-5',
			'gen_ai.response.id': 'msg_1',
			'gen_ai.usage.input_tokens': 1000,
			'gen_ai.usage.cache_read.input_tokens': 600,
			'gen_ai.usage.cache_creation.input_tokens': 300,
			'gen_ai.usage.output_tokens': 50,
			'gen_ai.input.messages': [
				{role: 'system', parts: [{type: 'text', content: 'Be brief.'}]},
				{role: 'user', parts: [{type: 'text', content: 'What is in the log?'}]},
			],
		},
	},
	{
		id: '3',
		parent: '1',
		start: 3,
		end: 4,
		attributes: {'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'call_1'},
	},
	{
		id: '4',
		parent: '1',
		start: 4,
		end: 6,
		attributes: {
			'gen_ai.operation.name': 'chat',
			'gen_ai.provider.name': 'anthropic',
			'gen_ai.request.model': 'claude-sonnet-4-5',
			'gen_ai.response.id': 'msg_2',
			'gen_ai.usage.input_tokens': 1200,
			'gen_ai.usage.output_tokens': 100,
		},
	},
];

// Prices of a million tokens: input 3, read 0.3, written 3.75, output 15 US dollars.
const cost = (100 * 3 + 600 * 0.3 + 300 * 3.75 + 50 * 15 + 1200 * 3 + 100 * 15) / 1_000_000;

const usage = {
	compaction_count: 0,
	current_cache_creation_input_tokens: 300,
	current_cache_read_input_tokens: 600,
	current_cost_usd: expect.closeTo(cost, 10),
	current_input_tokens: 1300,
	current_message_count: 3,
	current_output_tokens: 150,
	current_tool_call_count: 1,
	last_generation_input_tokens: 1200,
	total_cache_creation_input_tokens: 300,
	total_cache_read_input_tokens: 600,
	total_cost_usd: expect.closeTo(cost, 10),
	total_input_tokens: 1300,
	total_message_count: 3,
	total_output_tokens: 150,
	total_tool_call_count: 1,
};

test('spans of a conversation form a session with usage and cost, and sending them again changes nothing', async () => {
	const server = await createTestServer();
	expect(await push(server, turn)).toEqual({});
	const first = await server.send(unarchive(conversation), {method: 'POST'});
	expect([first.status, first.json]).toEqual([
		200,
		{
			id: conversation,
			agent: 'scout',
			archived_at: null,
			created_at: timeAt(0),
			created_by: expect.objectContaining({email: 'owner@acme.example', id: server.owner.id}),
			frozen_at: null,
			frozen_by: null,
			labels: {team: ['red']},
			last_message_at: timeAt(6),
			message_count: 3,
			model: 'anthropic/claude-sonnet-4-5',
			origin: 'user',
			preview_text: 'What is in the log?',
			project_id: expect.any(String),
			project_name: expect.any(String),
			runtime_id: null,
			title: 'Read the log',
			updated_at: timeAt(10),
			usage,
			user_id: server.owner.id,
			visibility: 'private',
			workspace_id: expect.any(String),
		},
	]);
	expect(sessionSchema.parse(first.json)).toEqual(first.json);
	expect(await push(server, turn)).toEqual({});
	expect((await server.send(unarchive(conversation), {method: 'POST'})).json).toEqual(first.json);
});

test('spans may arrive one by one, and children before their parents', async () => {
	const server = await createTestServer();
	for (const span of [...turn].reverse()) {
		await push(server, [span]);
	}

	const {json} = await server.send(unarchive(conversation), {method: 'POST'});
	expect(json).toMatchObject({usage, agent: 'scout', preview_text: 'What is in the log?', created_at: timeAt(0)});
});

test('of several spans of one message the last one counts as a whole, in whatever order they arrive', async () => {
	const server = await createTestServer();
	const [, chat] = turn;
	const spans = [5, 6, 7].map(end => ({
		id: String(end),
		start: 4,
		end,
		attributes: {
			...chat?.attributes,
			'gen_ai.conversation.id': conversation,
			'gen_ai.usage.input_tokens': end * 1000,
			'gen_ai.usage.output_tokens': end,
		},
	}));
	await push(server, spans.slice(1));
	await push(server, spans.slice(0, 1));
	const {json} = await server.send(unarchive(conversation), {method: 'POST'});
	expect(json.usage).toMatchObject({total_output_tokens: 7, total_input_tokens: 6100, total_message_count: 2});
});

test('messages before a compaction are not current any more', async () => {
	const server = await createTestServer();
	const compaction = {id: '5', parent: '1', start: 6, end: 7, attributes: {'service.span.type': 'compaction'}};
	const later = {
		...turn[3],
		id: '6',
		start: 8,
		end: 9,
		attributes: {...turn[3]?.attributes, 'gen_ai.response.id': 'm3'},
	};
	await push(server, [...turn, compaction, later]);
	const {json} = await server.send(unarchive(conversation), {method: 'POST'});
	expect(json.usage).toMatchObject({
		compaction_count: 1,
		current_message_count: 2,
		total_message_count: 5,
		current_input_tokens: 1200,
		total_input_tokens: 2500,
		current_tool_call_count: 0,
		total_tool_call_count: 1,
	});
});

test('an unarchived session stays unarchived when an older span arrives', async () => {
	const server = await createTestServer();
	const archiving = (id: string, end: number) => ({
		id,
		end,
		attributes: {'gen_ai.conversation.id': conversation, 'service.session.archived': true},
	});
	await push(server, [archiving('1', 5)]);
	const {json} = await server.send(unarchive('11111111'), {method: 'POST'});
	expect([json.archived_at, json.updated_at]).toEqual([null, '2026-03-01T12:00:00.000Z']);
	await push(server, [archiving('2', 6)]);
	expect((await server.send(unarchive('1'), {method: 'POST'})).json).toEqual(json);
});

test('a unique prefix of an id is enough, and an ambiguous one is 409', async () => {
	const server = await createTestServer();
	const other = conversation.replace(/.$/, '2');
	const spans = [conversation, other].map((id, at) => ({
		id: String(at + 1),
		attributes: {'gen_ai.conversation.id': id},
	}));
	await push(server, spans);
	const {status, json} = await server.send(unarchive('1111'), {method: 'POST'});
	expect([status, json]).toEqual([
		409,
		{code: 409, detail: 'Several sessions begin with “1111”. Enter more characters of the id.', type: 'conflict_error'},
	]);
	expect((await server.send(unarchive(other.toUpperCase()), {method: 'POST'})).json.id).toBe(other);
	expect((await server.send(unarchive('2'), {method: 'POST'})).status).toBe(404);
});

test('a private session is 404 to others, who cannot add to it; one shared with the workspace is not [26]', async () => {
	const server = await createTestServer();
	const member = await server.join('member');
	const rival = await server.foundAnother();
	await push(server, turn);
	expect((await server.send(unarchive(conversation), {method: 'POST', key: member.key})).status).toBe(404);
	const more = {id: '9', attributes: {'gen_ai.conversation.id': conversation, 'service.session.title': 'Mine'}};
	expect(await push(server, [more], {key: member.key})).toEqual({
		partialSuccess: {rejectedSpans: '1', errorMessage: 'A conversation is private to another user.'},
	});
	expect((await server.send(unarchive(conversation), {method: 'POST', key: rival.key})).status).toBe(404);

	await push(server, [{id: '8', end: 20, attributes: {...more.attributes, 'service.session.visibility': 'workspace'}}]);
	const {status, json} = await server.send(unarchive(conversation), {method: 'POST', key: member.key});
	expect([status, json.title]).toEqual([200, 'Mine']);

	const hiding = {'gen_ai.conversation.id': conversation, 'service.session.visibility': 'private'};
	expect(await push(server, [{id: '7', end: 30, attributes: hiding}], {key: member.key})).toEqual({});
	const still = await server.send(unarchive(conversation), {method: 'POST', key: member.key});
	expect([still.status, still.json.visibility, still.json.user_id]).toEqual([200, 'workspace', server.owner.id]);
});
