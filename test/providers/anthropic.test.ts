import {expect, test} from 'vitest';
import {anthropic} from '../../src/providers/anthropic.ts';
import {eventsOf, fakeHost, fixture, requestOf, untilFailure, withoutNewIds} from './replay.ts';

test('an error inside the stream is thrown after the events before it', async () => {
	const {transport} = fakeHost({body: fixture('anthropic-error.sse')});
	const {seen, error} = await untilFailure(anthropic(requestOf(transport)));
	expect(seen).toEqual([
		{type: 'usage', usage: {input: 12, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0}},
		{type: 'text-delta', id: '0', text: 'Let me'},
	]);
	expect(error).toMatchObject({code: 'provider', message: 'Anthropic reported an error: Overloaded'});
});

test('odd calls are kept apart, unknown blocks are ignored, missing counts keep their values', async () => {
	expect(withoutNewIds(await eventsOf(anthropic, fixture('anthropic-odd.sse')))).toEqual([
		{type: 'usage', usage: {input: 5, cacheRead: 7, cacheWrite: 0, output: 1, reasoning: 0}},
		{type: 'tool-call', id: 'toolu_1', name: 'read_file', arguments: {}, malformed: '{"path": "a'},
		{type: 'tool-call', id: 'new', name: 'list_files', arguments: {path: '.'}},
		{type: 'usage', usage: {input: 5, cacheRead: 7, cacheWrite: 0, output: 9, reasoning: 0}},
		{type: 'tool-call', id: 'new', name: 'list_files', arguments: {}, malformed: '[1]'},
		{type: 'finish', reason: 'other', vendorReason: 'some_new_reason'},
	]);
});

test('counts of zero at the end, as gateways send them, replace none', async () => {
	const events = [
		{type: 'message_start', message: {usage: {input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1}}},
		{
			type: 'message_delta',
			delta: {stop_reason: 'end_turn'},
			usage: {input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7},
		},
	];
	const body = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');
	expect((await eventsOf(anthropic, body)).at(-1)).toEqual({
		type: 'usage',
		usage: {input: 9, cacheRead: 4, cacheWrite: 0, output: 7, reasoning: 0},
	});
});

test('[22] a stream cut within a call has neither the call nor an end', async () => {
	expect(await eventsOf(anthropic, fixture('anthropic-cut.sse'))).toEqual([
		{type: 'usage', usage: {input: 5, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0}},
		{type: 'reasoning-delta', id: '0', text: 'Hm'},
	]);
});

test.each([
	['', 'stop'],
	['end_turn', 'stop'],
	['stop_sequence', 'stop'],
	['pause_turn', 'stop'],
	['tool_use', 'tool-calls'],
	['max_tokens', 'length'],
	['model_context_window_exceeded', 'length'],
	['refusal', 'content-filter'],
	['something_new', 'other', 'something_new'],
	['constructor', 'other', 'constructor'],
])('stop reason %s means %s', async (vendorReason, reason, expected?: string) => {
	const delta = {type: 'message_delta', delta: {stop_reason: vendorReason}, usage: {output_tokens: 1}};
	const events = await eventsOf(anthropic, `data: ${JSON.stringify(delta)}\n\ndata: {"type":"message_stop"}\n\n`);
	expect(events.at(-1)).toEqual({type: 'finish', reason, ...(expected && {vendorReason: expected})});
});

test("a refusal has the vendor's explanation", async () => {
	const details = {type: 'refusal', explanation: 'This was blocked.'};
	const delta = {type: 'message_delta', delta: {stop_reason: 'refusal', stop_details: details}};
	const events = await eventsOf(anthropic, `data: ${JSON.stringify(delta)}\n\ndata: {"type":"message_stop"}\n\n`);
	expect(events.at(-1)).toEqual({type: 'finish', reason: 'content-filter', message: 'This was blocked.'});
});
