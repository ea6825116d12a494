import {expect, test} from 'vitest';
import {openaiResponses} from '../../../src/providers/responses/openai-responses.ts';
import {bodyFor, foreign, messageOf, result, tool, user} from '../conversation.ts';
import {eventsOf, fixture} from '../replay.ts';

test('a request stores nothing, and asks a reasoning model for encrypted reasoning', async () => {
	expect(
		await bodyFor(openaiResponses, [user('Hello')], {
			model: 'gpt-5.5',
			system: 'Be brief.',
			tools: [tool],
			maxOutputTokens: 9,
		}),
	).toEqual({
		model: 'gpt-5.5',
		stream: true,
		store: false,
		prompt_cache_key: expect.stringMatching(/^[\da-f]{32}$/),
		instructions: 'Be brief.',
		input: [{role: 'user', content: [{type: 'input_text', text: 'Hello'}]}],
		tools: [
			{type: 'function', name: 'read_file', description: 'Reads a file', parameters: tool.parameters, strict: false},
		],
		max_output_tokens: 9,
		reasoning: {summary: 'auto'},
		include: ['reasoning.encrypted_content'],
	});
});

test.each([
	'gpt-4o',
	'gpt-4.1-mini',
	'gpt-3.5-turbo',
	'chatgpt-4o-latest',
	'gpt-5-chat-latest',
	'ft:gpt-4o-2024-08-06:me',
])('%s is not asked to reason', async model => {
	expect(await bodyFor(openaiResponses, [user('Hello')], {model})).toEqual({
		model,
		stream: true,
		store: false,
		prompt_cache_key: expect.any(String),
		input: [{role: 'user', content: [{type: 'input_text', text: 'Hello'}]}],
	});
});

test.each(['o1', 'o3-mini', 'o4-mini', 'gpt-5', 'gpt-5.3-codex', 'gpt-6-sol', 'codex-mini-latest'])(
	'%s is asked to reason',
	async model => {
		expect(await bodyFor(openaiResponses, [user('Hello')], {model})).toMatchObject({reasoning: {summary: 'auto'}});
	},
);

test('encrypted reasoning goes back complete and once, a text with its phase, ids of stored items never', async () => {
	const message = messageOf('openai/gpt-5.5', await eventsOf(openaiResponses, fixture('responses-odd.sse')));
	const [first, second] = message.role === 'assistant' ? message.parts.filter(part => part.type === 'tool-call') : [];
	const messages = [
		user('Read'),
		message,
		result(first?.id ?? '', 'A'),
		result(second?.id ?? '', 'No such file.', true),
	];
	const {input} = await bodyFor(openaiResponses, messages, {model: 'gpt-5.5'});
	expect(input).toEqual([
		{role: 'user', content: [{type: 'input_text', text: 'Read'}]},
		{
			type: 'reasoning',
			id: 'rs_1',
			summary: [
				{type: 'summary_text', text: 'First'},
				{type: 'summary_text', text: 'Second'},
			],
			encrypted_content: 'sealed',
		},
		{type: 'message', role: 'assistant', content: [{type: 'output_text', text: 'Looking.'}], phase: 'commentary'},
		{type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}'},
		{type: 'function_call', call_id: second?.id, name: 'list_files', arguments: '{}'},
		{type: 'function_call_output', call_id: 'call_1', output: 'A'},
		{type: 'function_call_output', call_id: second?.id, output: 'Error: No such file.'},
	]);
});

test('reasoning of another provider is dropped, and a foreign id is replaced in call and result', async () => {
	const {input} = await bodyFor(openaiResponses, foreign, {model: 'gpt-5.5'});
	expect(input).toEqual([
		{role: 'user', content: [{type: 'input_text', text: 'Read it'}]},
		{type: 'message', role: 'assistant', content: [{type: 'output_text', text: 'Reading.'}]},
		{
			type: 'function_call',
			call_id: expect.stringMatching(/^[a-zA-Z\d]{9}$/),
			name: 'read_file',
			arguments: '{"path":"a"}',
		},
		{type: 'function_call_output', call_id: expect.stringMatching(/^[a-zA-Z\d]{9}$/), output: 'content'},
	]);
});

test('reasoning that nothing follows is not sent', async () => {
	const opaque = {wire: 'openai-responses', data: {type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x'}};
	const interrupted = {role: 'assistant', model: 'openai/o3', parts: [{type: 'reasoning', text: '', opaque}]} as const;
	const {input} = await bodyFor(openaiResponses, [user('A'), interrupted, user('B')], {model: 'o3'});
	expect(input).toEqual(['A', 'B'].map(text => ({role: 'user', content: [{type: 'input_text', text}]})));
});

test('a failed result that begins with “Error” gets no second mark', async () => {
	const {input} = await bodyFor(openaiResponses, [result('c', 'Error: gone', true), result('d', 'errors.txt', true)]);
	expect(input).toMatchObject([{output: 'Error: gone'}, {output: 'Error: errors.txt'}]);
});

test('each conversation has its own cache key and keeps it', async () => {
	const keyOf = async (...texts: readonly string[]) =>
		(await bodyFor(openaiResponses, texts.map(user), {system: 'Be brief.'}))['prompt_cache_key'];
	expect(await keyOf('Hello', 'Go on')).toBe(await keyOf('Hello'));
	expect(await keyOf('Hello')).not.toBe(await keyOf('Bye'));
});
