import {expect, test} from 'vitest';
import {openaiChat} from '../../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../../src/providers/chat/openai-chat-request.ts';
import {collect, eventsOf, fakeHost, fixture, requestOf, untilFailure, withoutNewIds} from '../replay.ts';

const custom = openaiChat(quirksOf('custom'));
const stream = (...chunks: readonly object[]) => chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');
const delta = (content: object, finish: string | null = null) => ({choices: [{delta: content, finish_reason: finish}]});

test('an error inside the stream is thrown after the events before it', async () => {
	const {seen, error} = await untilFailure(custom(requestOf(fakeHost({body: fixture('chat-error.sse')}).transport)));
	expect(seen).toEqual([{type: 'text-delta', id: 'text-0', text: 'Well'}]);
	expect(error).toMatchObject({
		code: 'provider',
		message: 'Custom reported an error: Provider disconnected',
	});
});

test('the text of a refusal ends the answer', async () => {
	expect(await eventsOf(custom, fixture('chat-refusal.sse'))).toEqual([
		{type: 'text-delta', id: 'text-0', text: "I can't "},
		{type: 'text-delta', id: 'text-0', text: 'help with that.'},
		{type: 'finish', reason: 'content-filter'},
	]);
});

test('odd calls are kept apart, unknown chunks are ignored, no count is negative', async () => {
	expect(withoutNewIds(await eventsOf(custom, fixture('chat-odd.sse')))).toEqual([
		{type: 'reasoning-delta', id: 'reasoning-1', text: 'Hm.'},
		{type: 'text-delta', id: 'text-2', text: 'So:'},
		{type: 'usage', usage: {input: 0, cacheRead: 8, cacheWrite: 0, output: 4, reasoning: 0}},
		{type: 'tool-call', id: 'new', name: 'read_file', arguments: {path: 'a'}},
		{type: 'tool-call', id: 'new', name: 'read_file', arguments: {path: 'b'}},
		{type: 'tool-call', id: 'x', name: 'list_files', arguments: {}},
		{type: 'tool-call', id: 'new', name: 'list_files', arguments: {}, malformed: '{oops'},
		{type: 'finish', reason: 'tool-calls'},
	]);
});

test('[22] a stream cut within a call has neither the call nor an end', async () => {
	expect(await eventsOf(custom, fixture('chat-cut.sse'))).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Reading.'},
	]);
});

test('a connection that breaks after the finish reason leaves the answer complete', async () => {
	async function* broken() {
		yield new TextEncoder().encode(stream(delta({content: 'Hi'}, 'stop')));
		throw new Error('reset');
	}

	expect(await eventsOf(custom, broken())).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Hi'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('[DONE] alone ends the answer, and nothing after it is read', async () => {
	const body = `${stream(delta({content: 'Hi'}))}data: [DONE]\n\n${stream(delta({content: 'never shown'}))}`;
	expect(await eventsOf(custom, body)).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Hi'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('the string “null” is not a finish reason', async () => {
	expect(await eventsOf(custom, stream(delta({content: 'Hi'}, 'null')))).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Hi'},
	]);
});

test('a name in pieces is one, as far as the tools have it', async () => {
	const tools = ['read_file', 'list'].map(name => ({name, description: '', parameters: {type: 'object'}}));
	const piece = (id: string | null, name: string, text: string) => ({
		tool_calls: [{index: 0, id, function: {name, arguments: text}}],
	});
	const body = stream(
		delta(piece('a', 'read', '')),
		delta(piece(null, '_', '')),
		delta(piece('a', 'file', '{"x":')),
		delta({tool_calls: [{index: 0, function: {arguments: '1}'}}]}),
		delta(piece(null, 'list', '')),
		delta(piece(null, 'list', '')),
		delta({}, 'tool_calls'),
	);
	const events = await collect(custom(requestOf(fakeHost({body}).transport, {tools})));
	expect(withoutNewIds(events.filter(({type}) => type === 'tool-call'))).toEqual([
		{type: 'tool-call', id: 'a', name: 'read_file', arguments: {x: 1}},
		{type: 'tool-call', id: 'new', name: 'list', arguments: {}},
	]);
});

const message = {content: 'Hi', tool_calls: [{id: 'a', function: {name: 'list', arguments: '{}'}}]};
const answer = {
	choices: [{message, finish_reason: 'tool_calls'}],
	usage: {prompt_tokens: 3, completion_tokens: 2},
};

test.each([
	['in one event', stream(answer)],
	['as JSON', JSON.stringify(answer)],
])('the answer of a host that does not stream is read %s', async (_, body) => {
	expect(await eventsOf(custom, body)).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Hi'},
		{type: 'usage', usage: {input: 3, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0}},
		{type: 'tool-call', id: 'a', name: 'list', arguments: {}},
		{type: 'finish', reason: 'tool-calls'},
	]);
});

test('a message beside or behind deltas is not read twice', async () => {
	const both = {choices: [{delta: {content: 'lo'}, message: {content: 'Hello'}}]};
	const behind = {choices: [{message: {content: 'Hello'}, finish_reason: 'stop'}]};
	expect(await eventsOf(custom, stream(delta({content: 'Hel'}), both, behind))).toEqual([
		{type: 'text-delta', id: 'text-0', text: 'Hel'},
		{type: 'text-delta', id: 'text-0', text: 'lo'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('a call outside of a list is read', async () => {
	const call = {index: 0, id: '', type: 'function', function: {name: 'list', arguments: '{}'}};
	expect(withoutNewIds(await eventsOf(custom, stream(delta({tool_calls: call}), delta({}, 'stop'))))).toEqual([
		{type: 'tool-call', id: 'new', name: 'list', arguments: {}},
		{type: 'finish', reason: 'tool-calls'},
	]);
});

test.each([
	['stop', 'stop'],
	['length', 'length'],
	['model_length', 'length'],
	['content_filter', 'content-filter', 'content_filter'],
	['function_call', 'tool-calls'],
	['error', 'error'],
	['STOP', 'stop'],
	['tool_use', 'tool-calls'],
	['something_new', 'other', 'something_new'],
])('finish reason %s means %s', async (vendorReason, reason, expected?: string) => {
	expect(await eventsOf(custom, stream(delta({}, vendorReason)))).toEqual([
		{type: 'finish', reason, ...(expected && {vendorReason: expected})},
	]);
});

test('an id from the conversation is not reused', async () => {
	const {transport} = fakeHost({
		body: stream(
			delta({tool_calls: [{index: 0, id: 'functions.list:0', function: {name: 'list', arguments: '{}'}}]}, 'stop'),
		),
	});
	const call = {type: 'tool-call', id: 'functions.list:0', name: 'list', arguments: {}} as const;
	const messages = [
		{role: 'user', text: 'List'},
		{role: 'assistant', model: 'custom/kimi', parts: [call]},
		{role: 'tool', callId: call.id, name: 'list', output: '', failed: false},
	] as const;
	const events = await collect(custom(requestOf(transport, {messages})));
	const again = events.find(({type}) => type === 'tool-call');
	expect(again).toEqual({...call, id: expect.stringMatching(/^call_[\da-f]{24}$/)});
});

const field = (name: string) => ({wire: 'openai-chat', data: {field: name}});

test.each(['reasoning_content', 'reasoning'])('reasoning in %s carries its field once', async name => {
	const body = stream(
		delta({[name]: 'Let '}),
		delta({[name]: 'me see.', content: 'Ah'}),
		delta({content: '.'}, 'stop'),
	);
	expect(await eventsOf(custom, body)).toEqual([
		{type: 'reasoning-delta', id: 'reasoning-1', text: 'Let ', opaque: field(name)},
		{type: 'reasoning-delta', id: 'reasoning-1', text: 'me see.'},
		{type: 'text-delta', id: 'text-2', text: 'Ah'},
		{type: 'text-delta', id: 'text-2', text: '.'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('reasoning in two fields is read once', async () => {
	const body = stream(
		delta({reasoning_content: '', reasoning: 'Hm'}),
		delta({reasoning_content: '.', reasoning: '.'}, 'stop'),
	);
	expect(await eventsOf(custom, body)).toEqual([
		{type: 'reasoning-delta', id: 'reasoning-1', text: 'Hm', opaque: field('reasoning')},
		{type: 'reasoning-delta', id: 'reasoning-1', text: '.'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('empty reasoning before a call carries its field', async () => {
	const call = {index: 0, id: 'a', function: {name: 'list', arguments: '{}'}};
	const body = stream(delta({reasoning_content: ''}), delta({tool_calls: [call]}, 'tool_calls'));
	expect(await eventsOf(custom, body)).toEqual([
		{type: 'reasoning-delta', id: 'reasoning', text: '', opaque: field('reasoning_content')},
		{type: 'tool-call', id: 'a', name: 'list', arguments: {}},
		{type: 'finish', reason: 'tool-calls'},
	]);
});
