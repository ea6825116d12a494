import {expect, test} from 'vitest';
import {gemini} from '../../src/providers/gemini.ts';
import {collect, eventsOf, fakeHost, fixture, requestOf, summaryOf, untilFailure, withoutNewIds} from './replay.ts';

const signed = (thoughtSignature: string, length?: number) => ({
	wire: 'gemini',
	data: {thoughtSignature, ...(length !== undefined && {length})},
});

test('an error inside the stream is thrown after the events before it', async () => {
	const {seen, error} = await untilFailure(gemini(requestOf(fakeHost({body: fixture('gemini-error.sse')}).transport)));
	expect(seen).toEqual([{type: 'text-delta', id: '1', text: 'Well'}]);
	expect(error).toMatchObject({code: 'provider', message: 'Google reported an error: The model is overloaded.'});
});

test('a blocked prompt is a refusal', async () => {
	expect(await eventsOf(gemini, fixture('gemini-blocked.sse'))).toEqual([
		{type: 'usage', usage: {input: 9, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0}},
		{type: 'finish', reason: 'content-filter', message: 'The prompt was blocked: PROHIBITED_CONTENT.'},
	]);
});

test('a signature stays with its part, each call gets its own id, unknown parts are ignored', async () => {
	expect(withoutNewIds(await eventsOf(gemini, fixture('gemini-odd.sse')))).toEqual([
		{type: 'reasoning-delta', id: '1', text: 'Thinking.', opaque: signed('s1', 0)},
		{type: 'text-delta', id: '2', text: 'I will '},
		{type: 'usage', usage: {input: 5, cacheRead: 4, cacheWrite: 0, output: 3, reasoning: 3}},
		{type: 'text-delta', id: '2', text: 'look.', opaque: signed('s2', 5)},
		{type: 'text-delta', id: '3', text: 'Now.'},
		{type: 'tool-call', id: 'new', name: 'read_file', arguments: {path: 'a'}, opaque: signed('s3')},
		{type: 'tool-call', id: 'new', name: 'read_file', arguments: {path: 'b'}},
		{type: 'tool-call', id: 'x', name: 'list_files', arguments: {}},
		{type: 'tool-call', id: 'new', name: 'list_files', arguments: {}, malformed: '[1]'},
		{type: 'usage', usage: {input: 5, cacheRead: 4, cacheWrite: 0, output: 8, reasoning: 3}},
		{type: 'finish', reason: 'tool-calls'},
	]);
});

test('counts of zero at the end, as gateways send them, replace none', async () => {
	const chunk = (counts: readonly number[], finishReason?: string) => ({
		candidates: [{content: {parts: [{text: 'Hi'}]}, ...(finishReason && {finishReason})}],
		usageMetadata: {promptTokenCount: counts[0], candidatesTokenCount: counts[1]},
	});
	const body = [chunk([9, 4]), chunk([0, 0], 'STOP')].map(each => `data: ${JSON.stringify(each)}\n\n`).join('');
	expect((await eventsOf(gemini, body)).filter(({type}) => type === 'usage').at(-1)).toEqual({
		type: 'usage',
		usage: {input: 9, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 0},
	});
});

test('[22] a stream without a finish reason has no end', async () => {
	expect(await eventsOf(gemini, fixture('gemini-cut.sse'))).toEqual([{type: 'text-delta', id: '1', text: 'Once upon'}]);
});

test.each([
	['STOP', undefined, {reason: 'stop'}],
	['MAX_TOKENS', undefined, {reason: 'length'}],
	['SAFETY', 'Unsafe.', {reason: 'content-filter', message: 'Unsafe.'}],
	['MALFORMED_FUNCTION_CALL', 'print(x)', {reason: 'error', message: 'print(x)'}],
	['RECITATION', undefined, {reason: 'content-filter', vendorReason: 'RECITATION'}],
	['SOMETHING_NEW', undefined, {reason: 'other', vendorReason: 'SOMETHING_NEW'}],
])('finish reason %s ends the answer', async (finishReason, finishMessage, expected) => {
	const chunk = {candidates: [{finishReason, finishMessage}]};
	expect(await eventsOf(gemini, `data: ${JSON.stringify(chunk)}\n\n`)).toEqual([{type: 'finish', ...expected}]);
});

test('[22] an unspecified finish reason does not end the answer', async () => {
	expect(await eventsOf(gemini, 'data: {"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}\n\n')).toEqual([]);
});

test.each([
	['gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:'],
	['models/gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:'],
	['tunedModels/mine', '/v1beta/tunedModels/mine:'],
	['a?b', '/v1beta/models/a%3Fb:'],
])('model %s has its own path', async (model, path) => {
	const {transport, requests} = fakeHost({body: ''});
	await collect(gemini(requestOf(transport, {model})));
	expect(requests[0]?.url).toBe(`https://host.test${path}streamGenerateContent?alt=sse`);
});

test('only one of two candidates is read, at any position', async () => {
	const part = (index: number, text: string) => ({index, content: {parts: [{text}]}});
	const chunks = [
		{candidates: [part(0, 'A')]},
		{candidates: [part(1, 'x')]},
		{candidates: [part(1, 'y'), {...part(0, 'B'), finishReason: 'STOP'}]},
	];
	const body = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');
	expect(summaryOf(await eventsOf(gemini, body))).toMatchObject({text: 'AB', finish: ['stop']});
});
