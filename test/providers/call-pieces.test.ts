import {describe, expect, test} from 'vitest';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {runAgent} from '../../src/agent/run.ts';
import type {CallPiece, PiecesDropped} from '../../src/core/session/call-draft.ts';
import type {Message} from '../../src/core/session/message.ts';
import {collect as collectAll, runOptions} from '../agent/scripted.ts';
import {type Answer, adapterOf, collect, fakeHost, requestOf} from './replay.ts';

const args = '{"path":"a.ts","content":"one\\ntwo"}';
const parts = [args.slice(0, 9), args.slice(9, 22), args.slice(22)];
const sse = (...chunks: readonly unknown[]) => chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');

const anthropicCall = [
	{
		type: 'content_block_start',
		index: 1,
		content_block: {type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {}},
	},
	...parts.map(part => ({
		type: 'content_block_delta',
		index: 1,
		delta: {type: 'input_json_delta', partial_json: part},
	})),
];
const chatDelta = (call: unknown, finish?: string) => ({
	choices: [{index: 0, delta: {tool_calls: [call]}, finish_reason: finish}],
});
const item = {type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'write_file', arguments: ''};

const answers = {
	anthropic: sse(
		...anthropicCall,
		{type: 'content_block_stop', index: 1},
		{type: 'message_delta', delta: {stop_reason: 'tool_use'}},
		{type: 'message_stop'},
	),
	'openai-chat': sse(
		chatDelta({index: 0, id: 'call_1', type: 'function', function: {name: 'write_file', arguments: ''}}),
		...parts.map(part => chatDelta({index: 0, function: {arguments: part}})),
		{choices: [{index: 0, delta: {}, finish_reason: 'tool_calls'}]},
	),
	'openai-responses': sse(
		{type: 'response.output_item.added', output_index: 0, item},
		...parts.map(delta => ({type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta})),
		{type: 'response.output_item.done', output_index: 0, item: {...item, arguments: args}},
		{type: 'response.completed', response: {output: []}},
	),
} as const;

describe.each(Object.entries(answers))('%s', (wire, body) => {
	test('yields the pieces of a call before the call', async () => {
		const provider = await adapterOf(wire);
		const events = await collect(provider(requestOf(fakeHost({body}).transport)));
		const pieces = events.flatMap(event => (event.type === 'tool-call-delta' ? [event] : []));
		expect(new Set(pieces.map(({id}) => id)).size).toBe(1);
		expect(pieces.map(({name}) => name)).toEqual(['write_file', 'write_file', 'write_file', 'write_file']);
		expect(pieces.map(({text}) => text)).toEqual(['', ...parts]);
		const call = events.findIndex(({type}) => type === 'tool-call');
		expect(call).toBeGreaterThan(events.findLastIndex(({type}) => type === 'tool-call-delta'));
		expect(events[call]).toMatchObject({name: 'write_file', arguments: {path: 'a.ts', content: 'one\ntwo'}});
	});
});

/** Runs one message against a host. Returns the events of the session, and the pieces beside them. */
async function run(...bodies: readonly Answer['body'][]) {
	const host = fakeHost(...bodies.map(body => ({body})));
	const provider = await adapterOf('anthropic');
	const pieces: Array<CallPiece | PiecesDropped> = [];
	const retry = createModelRetry({sleep: async () => undefined, random: () => 0});
	const ask = (messages: readonly Message[]) => provider(requestOf(host.transport, {messages}));
	const events = await collectAll(runAgent(runOptions({ask, retry, tools: [], onPiece: piece => pieces.push(piece)})));
	return {
		events,
		pieces: pieces.map(piece => (piece.type === 'call-piece' ? piece.text : '-')),
		asked: host.requests.length,
	};
}

const done = sse(
	{type: 'content_block_start', index: 0, content_block: {type: 'text', text: 'Done.'}},
	{type: 'message_delta', delta: {stop_reason: 'end_turn'}},
	{type: 'message_stop'},
);

test('pieces are no events of the session', async () => {
	const {events, pieces} = await run(answers.anthropic, done);
	expect(pieces).toEqual(['-', '', ...parts, '-']);
	expect(events.filter(({type}) => type !== 'usage').map(({type}) => type)).toEqual([
		'run-start',
		'user-message',
		'tool-call',
		'tool-result',
		'text-delta',
		'run-end',
	]);
});

test('[23] an answer that breaks while a call is written is asked for again, without its pieces', async () => {
	async function* broken() {
		yield* anthropicCall.map(chunk => new TextEncoder().encode(sse(chunk)));
		throw new (await import('../../src/core/error.ts')).AppError('network', 'Cut.');
	}

	const {events, pieces, asked} = await run(broken(), done);
	expect([asked, pieces]).toEqual([2, ['-', '', ...parts, '-']]);
	expect(events.filter(({type}) => type === 'tool-call')).toEqual([]);
	expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'done'});
});
