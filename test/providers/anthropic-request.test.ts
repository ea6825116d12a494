import {expect, test} from 'vitest';
import {anthropic} from '../../src/providers/anthropic.ts';
import {bodyFor, foreign, messageOf, result, tool, user} from './conversation.ts';
import {collect, eventsOf, fakeHost, requestOf} from './replay.ts';

const cached = {cache_control: {type: 'ephemeral'}};
const model = 'claude-sonnet-4-5';
const own = `anthropic/${model}`;

test('a request has the model, its limit, instructions, messages and tools, with cache marks', async () => {
	expect(await bodyFor(anthropic, [user('Hello')], {model, system: 'Be brief.', tools: [tool]})).toEqual({
		model,
		max_tokens: 32_000,
		stream: true,
		system: [{type: 'text', text: 'Be brief.', ...cached}],
		messages: [{role: 'user', content: [{type: 'text', text: 'Hello', ...cached}]}],
		tools: [{name: 'read_file', description: 'Reads a file', input_schema: tool.parameters, ...cached}],
	});
});

test('empty fields are left out', async () => {
	expect(await bodyFor(anthropic, [user('Hello')], {model, maxOutputTokens: 100})).toEqual({
		model,
		max_tokens: 100,
		stream: true,
		messages: [{role: 'user', content: [{type: 'text', text: 'Hello', ...cached}]}],
	});
});

test.each([
	['claude-3-haiku-20240307', 4096],
	['claude-3-5-sonnet-20241022', 8192],
	['claude-opus-4-1', 32_000],
])('%s may answer with %d tokens', async (name, limit) => {
	expect(await bodyFor(anthropic, [user('Hello')], {model: name})).toMatchObject({max_tokens: limit});
});

test('the request names the API version', async () => {
	const end = fakeHost({body: ''});
	await collect(anthropic(requestOf(end.transport)));
	expect(end.requests[0]?.headers).toMatchObject({'anthropic-version': '2023-06-01'});
});

const block = (index: number, start: object, ...deltas: readonly object[]) =>
	[
		{type: 'content_block_start', index, content_block: start},
		...deltas.map(delta => ({type: 'content_block_delta', index, delta})),
		{type: 'content_block_stop', index},
	]
		.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`)
		.join('');

const answer =
	block(
		0,
		{type: 'thinking', thinking: ''},
		{type: 'thinking_delta', thinking: 'Let me '},
		{type: 'thinking_delta', thinking: 'see.'},
		{type: 'signature_delta', signature: 'signed'},
	) +
	block(1, {type: 'redacted_thinking', data: 'hidden'}) +
	block(2, {type: 'text', text: ''}, {type: 'text_delta', text: 'Reading both.'}) +
	block(
		3,
		{type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {}},
		{type: 'input_json_delta', partial_json: '{"path":"a"}'},
	) +
	block(
		4,
		{type: 'tool_use', id: 'toolu_2', name: 'read_file', input: {}},
		{type: 'input_json_delta', partial_json: '{"path":"b"}'},
	);

test('thinking goes back unchanged, results of parallel calls share a turn, a failed one is marked', async () => {
	const message = messageOf(own, await eventsOf(anthropic, answer));
	const messages = [
		user('Read'),
		message,
		result('toolu_1', 'A'),
		result('toolu_2', 'No such file.', true),
		user('And?'),
	];
	expect(await bodyFor(anthropic, messages, {model})).toMatchObject({
		messages: [
			{role: 'user', content: [{type: 'text', text: 'Read', ...cached}]},
			{
				role: 'assistant',
				content: [
					{type: 'thinking', thinking: 'Let me see.', signature: 'signed'},
					{type: 'redacted_thinking', data: 'hidden'},
					{type: 'text', text: 'Reading both.'},
					{type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {path: 'a'}},
					{type: 'tool_use', id: 'toolu_2', name: 'read_file', input: {path: 'b'}},
				],
			},
			{
				role: 'user',
				content: [
					{type: 'tool_result', tool_use_id: 'toolu_1', content: 'A'},
					{type: 'tool_result', tool_use_id: 'toolu_2', content: 'No such file.', is_error: true},
					{type: 'text', text: 'And?', ...cached},
				],
			},
		],
	});
});

test('reasoning of another provider is dropped, and a foreign id is replaced in call and result', async () => {
	const {messages} = await bodyFor(anthropic, foreign, {model});
	expect(messages).toEqual([
		{role: 'user', content: [{type: 'text', text: 'Read it', ...cached}]},
		{
			role: 'assistant',
			content: [
				{type: 'text', text: 'Reading.'},
				{type: 'tool_use', id: expect.stringMatching(/^[a-zA-Z\d]{9}$/), name: 'read_file', input: {path: 'a'}},
			],
		},
		{
			role: 'user',
			content: [
				{type: 'tool_result', tool_use_id: expect.stringMatching(/^[a-zA-Z\d]{9}$/), content: 'content', ...cached},
			],
		},
	]);
	const ids = JSON.stringify(messages)
		.match(/"(?:id|tool_use_id)":"[^"]+"/g)
		?.map(text => text.split('"')[3]);
	expect(new Set(ids).size).toBe(1);
});

test('thinking of the same wire format but another provider is dropped', async () => {
	const message = messageOf('custom/claude', await eventsOf(anthropic, answer));
	expect(JSON.stringify(await bodyFor(anthropic, [user('Read'), message], {model}))).not.toMatch(/thinking/);
});

test('thinking without a signature, or at the end, is not sent', async () => {
	const opaque = {wire: 'anthropic', data: {signature: 's'}};
	const unsigned = {
		role: 'assistant',
		model: own,
		parts: [
			{type: 'reasoning', text: 'Hm'},
			{type: 'text', text: 'Yes.'},
		],
	} as const;
	const interrupted = {role: 'assistant', model: own, parts: [{type: 'reasoning', text: 'Hm', opaque}]} as const;
	expect(await bodyFor(anthropic, [user('A'), unsigned, user('B'), interrupted, user('C')], {model})).toMatchObject({
		messages: [
			{role: 'user', content: [{text: 'A'}]},
			{role: 'assistant', content: [{type: 'text', text: 'Yes.'}]},
			{role: 'user', content: [{text: 'B'}, {text: 'C'}]},
		],
	});
});

test('text of only white space is not sent', async () => {
	const blank = {role: 'assistant', model: own, parts: [{type: 'text', text: ' \n'}]} as const;
	expect(await bodyFor(anthropic, [user('A'), blank, user(' '), user('B')], {model})).toMatchObject({
		messages: [{role: 'user', content: [{text: 'A'}, {text: 'B'}]}],
	});
});

test.each([
	['claude-sonnet-5', true],
	['claude-opus-4-6', true],
	['claude-opus-4-8-20260501', true],
	['claude-haiku-5-5', true],
	['claude-sonnet-4-5-20250929', false],
	['claude-opus-4-20250514', false],
	['claude-3-7-sonnet-latest', false],
	['some-model', false],
])('%s decides how much to think: %s', async (name, may) => {
	const {thinking} = await bodyFor(anthropic, [user('Hello')], {model: name});
	expect(thinking).toEqual(may ? {type: 'adaptive', display: 'summarized'} : undefined);
});

test('a host that refuses thinking gets this and later requests without it', async () => {
	const refusal = {error: {type: 'invalid_request_error', message: 'adaptive thinking is not supported on this model'}};
	const end = fakeHost({status: 400, body: JSON.stringify(refusal)}, {body: 'data: {"type":"message_stop"}\n\n'});
	const request = requestOf(end.transport, {model: 'claude-sonnet-5', baseUrl: 'https://old.test'});
	expect(await collect(anthropic(request))).toEqual([{type: 'finish', reason: 'stop'}]);
	await collect(anthropic(request));
	expect([0, 1, 2].map(index => 'thinking' in end.bodyOf(index))).toEqual([true, false, false]);
});
