import {describe, expect, test} from 'vitest';
import type {Message} from '../../../src/core/session/message.ts';
import {registry} from '../../../src/providers/registry.ts';
import {bodyFor, foreign, messageOf, result, tool, user} from '../conversation.ts';
import {collect, eventsOf, fakeHost, requestOf} from '../replay.ts';

const [mistral, groq, custom] = await Promise.all([
	registry.mistral.load(),
	registry.groq.load(),
	registry.custom.load(),
]);

test('a request to a custom host asks for usage and has tools as functions', async () => {
	expect(await bodyFor(custom, [user('Hello')], {system: 'Be brief.', tools: [tool], maxOutputTokens: 9})).toEqual({
		model: 'some-model',
		stream: true,
		stream_options: {include_usage: true},
		messages: [
			{role: 'system', content: 'Be brief.'},
			{role: 'user', content: 'Hello'},
		],
		tools: [
			{type: 'function', function: {name: 'read_file', description: 'Reads a file', parameters: tool.parameters}},
		],
		max_tokens: 9,
	});
});

test.each([
	['Mistral', mistral, {max_tokens: 9}],
	['Groq', groq, {max_completion_tokens: 9}],
])('%s is not asked for usage, which it reports anyway', async (_, provider, limit) => {
	expect(await bodyFor(provider, [user('Hello')], {maxOutputTokens: 9})).toEqual({
		model: 'some-model',
		stream: true,
		messages: [{role: 'user', content: 'Hello'}],
		...limit,
	});
});

const answer = [
	{reasoning_content: 'Let me '},
	{reasoning_content: 'see.'},
	{content: 'Reading.'},
	{tool_calls: [{index: 0, id: 'call_a', function: {name: 'read_file', arguments: '{"path":"a"}'}}]},
	{tool_calls: [{index: 1, id: 'call_b', function: {name: 'read_file', arguments: '{"path":"b"}'}}]},
]
	.map(delta => `data: ${JSON.stringify({choices: [{delta}]})}\n\n`)
	.concat('data: [DONE]\n\n')
	.join('');

const turn = async (model: string): Promise<readonly Message[]> => [
	user('Read'),
	messageOf(model, await eventsOf(custom, answer)),
	result('call_a', 'A'),
	result('call_b', 'gone', true),
];

const call = (id: unknown, path: string) => ({
	id,
	type: 'function',
	function: {name: 'read_file', arguments: JSON.stringify({path})},
});

test('the reasoning of a turn with calls goes back in its own field', async () => {
	const {messages} = await bodyFor(custom, await turn('custom/deepseek'));
	expect(messages).toEqual([
		{role: 'user', content: 'Read'},
		{
			role: 'assistant',
			content: 'Reading.',
			reasoning_content: 'Let me see.',
			tool_calls: [call('call_a', 'a'), call('call_b', 'b')],
		},
		{role: 'tool', tool_call_id: 'call_a', name: 'read_file', content: 'A'},
		{role: 'tool', tool_call_id: 'call_b', name: 'read_file', content: 'Error: gone'},
	]);
});

test('empty reasoning before a call goes back too', async () => {
	const opaque = {wire: 'openai-chat', data: {field: 'reasoning_content'}};
	const parts = [
		{type: 'reasoning', text: '', opaque},
		{type: 'tool-call', id: 'a', name: 'read_file', arguments: {path: 'a'}},
	] as const;
	const {messages} = await bodyFor(custom, [{role: 'assistant', model: 'custom/deepseek', parts}]);
	expect(messages).toEqual([{role: 'assistant', content: null, reasoning_content: '', tool_calls: [call('a', 'a')]}]);
});

test('the reasoning of a turn without calls is not sent', async () => {
	const opaque = {wire: 'openai-chat', data: {field: 'reasoning_content'}};
	const parts = [
		{type: 'reasoning', text: 'Hm', opaque},
		{type: 'text', text: 'Yes.'},
	] as const;
	const interrupted = [{type: 'reasoning', text: 'Hm', opaque}] as const;
	const model = 'custom/deepseek';
	const messages = [
		{role: 'assistant', model, parts},
		{role: 'assistant', model, parts: interrupted},
	] as const;
	expect(await bodyFor(custom, messages)).toMatchObject({messages: [{role: 'assistant', content: 'Yes.'}]});
});

describe('reasoning of another provider is dropped', () => {
	test.each([
		['Groq', groq],
		['Mistral', mistral],
		['a custom host', custom],
	])('for %s', async (_, provider) => {
		const messages = [...(await turn('anthropic/claude')), ...(await turn('groq/qwen'))];
		expect(JSON.stringify(await bodyFor(provider, messages))).not.toMatch(/reasoning|Let me/);
	});
});

test('Mistral gets ids of nine letters and digits, and no user message right after a result', async () => {
	const {messages} = await bodyFor(mistral, [...foreign, user('And?')]);
	const id = expect.stringMatching(/^[a-zA-Z\d]{9}$/);
	expect(messages).toEqual([
		{role: 'user', content: 'Read it'},
		{role: 'assistant', content: 'Reading.', tool_calls: [call(id, 'a')]},
		{role: 'tool', tool_call_id: id, name: 'read_file', content: 'content'},
		{role: 'assistant', content: 'Noted.'},
		{role: 'user', content: 'And?'},
	]);
	expect(new Set(JSON.stringify(messages).match(/(?<="(?:id|tool_call_id)":")[^"]+/g)).size).toBe(1);
	expect((await bodyFor(mistral, [...foreign, user('And?')])).messages).toEqual(messages);
});

test('a custom host gets its own ids back unchanged', async () => {
	expect(await bodyFor(custom, foreign)).toMatchObject({
		messages: [{}, {tool_calls: [{id: 'functions.read:0'}]}, {tool_call_id: 'functions.read:0'}],
	});
});

const cached = (text: string) => [{type: 'text', text, cache_control: {type: 'ephemeral'}}];

test('Claude behind another host gets cache marks on the instructions and the last two turns', async () => {
	const model = 'anthropic/claude-sonnet-5';
	const messages = [user('One'), user('Two'), ...(await turn(`custom/${model}`))];
	const {messages: sent} = await bodyFor(custom, messages, {model, system: 'Be brief.'});
	expect(sent).toMatchObject([
		{role: 'system', content: cached('Be brief.')},
		{role: 'user', content: 'One'},
		{role: 'user', content: 'Two'},
		{role: 'user', content: cached('Read')},
		{role: 'assistant', content: 'Reading.'},
		{role: 'tool', content: 'A'},
		{role: 'tool', content: cached('Error: gone')},
	]);
	expect(JSON.stringify(await bodyFor(groq, messages, {model}))).not.toContain('cache_control');
});

test('a host that refuses cache marks gets the request again without them', async () => {
	const end = fakeHost({status: 400, body: '{"error":"messages[0].content must be a string"}'}, {body: ''});
	await collect(custom(requestOf(end.transport, {model: 'claude', baseUrl: 'https://plain.test'})));
	expect([0, 1].map(index => end.bodyOf(index).messages[0].content)).toEqual([cached('Hello'), 'Hello']);
});
