import {expect, test} from 'vitest';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {call, collect, echo, finish, runOptions, type Script, scriptedModel, text} from './scripted.ts';

const start = {type: 'run-start', runId: 'run-1', model: 'custom/demo'};
const hello = {type: 'user-message', id: 'u1', text: 'Hello'};
const usage = {input: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0};
const done = {type: 'run-end', reason: 'done', stopReason: 'end_turn'};
const guessed = (output: number) => ({
	...{input: 32, cacheRead: 0, cacheWrite: 0, output, reasoning: 0},
	estimated: true,
});

test('a text answer comes piece by piece, under one message id', async () => {
	const {ask, asked} = scriptedModel([
		{type: 'reasoning-delta', id: 'r', text: 'Hm.'},
		text('Hel'),
		text('lo.'),
		{type: 'usage', usage},
		finish('stop'),
	]);

	expect(await collect(runAgent(runOptions({ask})))).toEqual([
		start,
		hello,
		{type: 'reasoning-delta', id: 'r', messageId: 'id-1', text: 'Hm.'},
		{type: 'text-delta', id: 't', messageId: 'id-1', text: 'Hel'},
		{type: 'text-delta', id: 't', messageId: 'id-1', text: 'lo.'},
		{type: 'usage', messageId: 'id-1', model: 'custom/demo', usage, cause: 'turn'},
		done,
	]);
	expect(asked).toEqual([[{role: 'user', text: 'Hello'}]]);
});

test('a tool runs between two model calls, and the second reads its result', async () => {
	const {ask, asked} = scriptedModel(
		[call('echo', {word: 'a'}), finish('tool-calls')],
		[text('Done.'), finish('stop')],
	);

	expect(await collect(runAgent(runOptions({ask})))).toEqual([
		start,
		hello,
		{type: 'tool-call', id: 'call-1', messageId: 'id-1', name: 'echo', arguments: {word: 'a'}},
		{type: 'tool-result', id: 'call-1', output: 'echo a', failed: false, milliseconds: 0},
		{type: 'text-delta', id: 't', messageId: 'id-2', text: 'Done.'},
		done,
	]);
	expect(asked[1]).toEqual([
		{role: 'user', text: 'Hello'},
		{
			role: 'assistant',
			model: 'custom/demo',
			parts: [{type: 'tool-call', id: 'call-1', name: 'echo', arguments: {word: 'a'}}],
		},
		{role: 'tool', callId: 'call-1', name: 'echo', output: 'echo a', failed: false},
	]);
});

test.each([
	['stop', 'end_turn'],
	['length', 'max_tokens'],
	['content-filter', 'refusal'],
	['tool-calls', 'end_turn'],
] as const)('a text that finishes with %s ends the run with %s', async (reason, stopReason) => {
	const {ask} = scriptedModel([text('Text.'), finish(reason)]);
	expect((await collect(runAgent(runOptions({ask})))).at(-1)).toEqual({type: 'run-end', reason: 'done', stopReason});
});

test('calls of a refused message are never run', async () => {
	const ran: string[] = [];
	const tool = {...echo, run: async () => `${ran.push('x')}`};
	const {ask, asked} = scriptedModel([call('echo'), finish('content-filter')]);
	const events = await collect(runAgent(runOptions({ask, tools: [tool]})));
	expect(events.at(-1)).toEqual({type: 'run-end', reason: 'done', stopReason: 'refusal'});
	expect([ran, asked.length]).toEqual([[], 1]);
});

const emptyEnd = {
	type: 'run-end',
	reason: 'incomplete',
	stopReason: 'incomplete',
	error: {
		code: 'incomplete',
		message: 'The model gave an empty answer.',
		hint: 'Ask again, or select another model.',
	},
};

/** Retries as a real run does, without its waits. */
const patient = () => createModelRetry({sleep: async () => undefined, random: () => 0});

const reasoning = (words: string): ProviderEvent => ({type: 'reasoning-delta', id: 'r', text: words});

test.each<[string, Script]>([
	['only its end', [finish('stop')]],
	['white space', [text(' \n'), finish('stop')]],
	['the reason of calls without a call', [finish('tool-calls')]],
	['a signature alone', [{type: 'reasoning-delta', id: 'r', text: '', opaque: {wire: 'x', data: {}}}, finish('stop')]],
])('an answer of %s is asked for three times, and is no success', async (_, script) => {
	const {ask, asked} = scriptedModel(script);
	const events = await collect(runAgent(runOptions({ask, retry: patient()})));
	expect(events.at(-1)).toEqual(emptyEnd);
	expect(events.filter(({type}) => type === 'text-delta')).toEqual([]);
	expect(asked).toHaveLength(3);
});

test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'error'])(
	'an answer that ends with %s before anything was shown is asked for again',
	async vendorReason => {
		const broken: Script = [{type: 'finish', reason: 'error', vendorReason}];
		const {ask, asked} = scriptedModel(broken, broken, [text('Yes.'), finish('stop')]);
		expect((await collect(runAgent(runOptions({ask, retry: patient()})))).at(-1)).toEqual(done);
		expect(asked).toHaveLength(3);
		expect(asked[2]).toEqual(asked[0]);
	},
);

test('an answer that ends with an error after something was shown is not asked for again', async () => {
	const {ask, asked} = scriptedModel([text('Ha'), {type: 'finish', reason: 'error', vendorReason: 'error'}]);
	expect((await collect(runAgent(runOptions({ask, retry: patient()})))).at(-1)).toMatchObject({
		reason: 'error',
		error: {message: 'The provider ended the answer with an error.'},
	});
	expect(asked).toHaveLength(1);
});

test('reasoning without an answer is no success', async () => {
	const {ask, asked} = scriptedModel([reasoning('Hm.'), finish('stop')]);
	expect((await collect(runAgent(runOptions({ask, retry: patient()})))).at(-1)).toMatchObject({
		reason: 'incomplete',
		error: {message: 'The model gave no answer, only its reasoning.'},
	});
	expect(asked).toHaveLength(1);
});

test('an answer that is empty once is replaced by the next one, and its usage counts', async () => {
	const usage = {input: 7, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0};
	const {ask} = scriptedModel([{type: 'usage', usage}, finish('stop')], [text('Yes.'), finish('stop')]);
	const events = await collect(runAgent(runOptions({ask, retry: patient()})));
	expect(events.at(-1)).toEqual(done);
	expect(events.filter(({type}) => type === 'usage')).toMatchObject([{usage}]);
});

test('[22] a stream without its end mark is incomplete, and its calls are not run', async () => {
	const {ask, asked} = scriptedModel([text('Half an ans'), call('echo')]);
	const events = await collect(runAgent(runOptions({ask})));
	expect(events.slice(4)).toEqual([
		{type: 'usage', messageId: 'id-1', model: 'custom/demo', usage: guessed(5), cause: 'turn'},
		{
			type: 'run-end',
			reason: 'incomplete',
			stopReason: 'incomplete',
			error: {
				code: 'incomplete',
				message: 'The answer is incomplete: the connection ended before the model did.',
				hint: 'Ask the model to continue.',
			},
		},
	]);
	expect(asked).toHaveLength(1);
});

test('[22] a connection that breaks after content makes the answer incomplete, with the cause', async () => {
	const {ask} = scriptedModel([text('Half'), new AppError('network', 'The connection was reset.')]);
	expect((await collect(runAgent(runOptions({ask})))).at(-1)).toEqual({
		type: 'run-end',
		reason: 'incomplete',
		stopReason: 'incomplete',
		error: {code: 'incomplete', message: 'The connection was reset.', hint: 'Ask the model to continue.'},
	});
});

test('an error that the host reports after content stays unchanged', async () => {
	const error = new AppError('provider', 'The host reported an error: Overloaded.');
	const {ask} = scriptedModel([text('Half'), error]);
	expect((await collect(runAgent(runOptions({ask})))).slice(2)).toEqual([
		{type: 'text-delta', id: 't', messageId: 'id-1', text: 'Half'},
		{type: 'usage', messageId: 'id-1', model: 'custom/demo', usage: guessed(1), cause: 'turn'},
		{type: 'run-end', reason: 'error', stopReason: 'error', error: {code: 'provider', message: error.message}},
	]);
});

test('an answer cut at the token limit is reported as such even with calls', async () => {
	const {ask} = scriptedModel([call('echo', {word: 'a'}), finish('length')]);
	expect((await collect(runAgent(runOptions({ask, maxTurns: 1})))).at(-1)).toMatchObject({
		reason: 'budget',
		stopReason: 'max_tokens',
	});
});

test('the last call of an answer that was cut at the token limit is not run, and the model is told why', async () => {
	const {ask} = scriptedModel(
		[call('echo', {word: 'a'}, 'call-1'), call('echo', {word: 'b'}, 'call-2'), finish('length')],
		[text('Shorter.'), finish('stop')],
	);
	const events = await collect(runAgent(runOptions({ask})));
	expect(events.find(event => event.type === 'tool-result' && event.id === 'call-1')).toMatchObject({output: 'echo a'});
	expect(events.find(event => event.type === 'tool-result' && event.id === 'call-2')).toMatchObject({
		output: expect.stringContaining('cut at the token limit'),
		failed: true,
	});
});

test.each([
	[
		'that the user can act on',
		new AppError('auth', 'No key.', {hint: 'Set one.'}),
		{code: 'auth', message: 'No key.', hint: 'Set one.'},
	],
	[
		'that is a bug',
		new TypeError('x is undefined'),
		{code: 'failed', message: 'Something went wrong inside service: x is undefined'},
	],
])('an error before content %s ends the run with that error', async (_, thrown, error) => {
	const {ask} = scriptedModel([{type: 'usage', usage}, thrown]);
	expect((await collect(runAgent(runOptions({ask})))).slice(2)).toEqual([
		{type: 'usage', messageId: 'id-2', model: 'custom/demo', usage, cause: 'turn'},
		{type: 'run-end', reason: 'error', stopReason: 'error', error},
	]);
});

test('an error that ends the answer ends the run with that error', async () => {
	const {ask} = scriptedModel([text('a'), {type: 'finish', reason: 'error', message: 'Overloaded.'}]);
	expect((await collect(runAgent(runOptions({ask})))).at(-1)).toEqual({
		type: 'run-end',
		reason: 'error',
		stopReason: 'error',
		error: {code: 'provider', message: 'Overloaded.', hint: 'Try again.'},
	});
});

test('[21] [23] a model call is retried while nothing was shown, with a notice before a long wait', async () => {
	const {ask, asked} = scriptedModel(
		[{type: 'usage', usage}, new AppError('network', 'The host does not answer.')],
		[new AppError('network', 'The host is unavailable (503): busy')],
		[text('Hi.'), finish('stop')],
	);
	const waited: number[] = [];
	const clock = {
		sleep: async (milliseconds: number) => {
			waited.push(milliseconds);
		},
		random: () => 0.5,
	};
	const events = runAgent(runOptions({ask, retry: createModelRetry(clock)}));

	expect((await collect(events)).slice(2)).toEqual([
		{type: 'usage', messageId: 'id-2', model: 'custom/demo', usage, cause: 'turn'},
		{
			type: 'notice',
			level: 'info',
			text: 'The host is unavailable (503): busy. Retrying in 5 s (attempt 3/3).',
			waitMs: 4250,
		},
		{type: 'text-delta', id: 't', messageId: 'id-1', text: 'Hi.'},
		done,
	]);
	expect([asked.length, waited]).toEqual([3, [1250, 4250]]);
});

test.each([
	['a refusal', new AppError('provider', 'Refused (400).')],
	['a wrong key', new AppError('auth', 'Refused (401).')],
	['a bug', new TypeError('bug')],
])('[23] %s is never retried', async (_, thrown) => {
	const {ask, asked} = scriptedModel([thrown]);
	await collect(runAgent(runOptions({ask, retry: undefined})));
	expect(asked).toHaveLength(1);
});

test('[23] nothing is retried once something was shown', async () => {
	const {ask, asked} = scriptedModel([text('a'), new AppError('network', 'Cut.')]);
	await collect(runAgent(runOptions({ask, retry: undefined})));
	expect(asked).toHaveLength(1);
});

test('queued messages join at the next turn, and before the run would end', async () => {
	const queue = [[], [{id: 'u2', text: 'And b'}], [{id: 'u3', text: 'And c'}], []];
	const {ask, asked} = scriptedModel(
		[call('echo', {word: 'a'}), finish('tool-calls')],
		[text('Done.'), finish('stop')],
	);
	const events = await collect(runAgent(runOptions({ask, nextMessages: () => queue.shift() ?? []})));

	expect(events.map(event => event.type)).toEqual([
		...['run-start', 'user-message', 'tool-call', 'tool-result', 'user-message', 'text-delta'],
		...['user-message', 'text-delta', 'run-end'],
	]);
	expect(asked.map(messages => messages.at(-1))).toEqual([
		{role: 'user', text: 'Hello'},
		{role: 'user', text: 'And b'},
		{role: 'user', text: 'And c'},
	]);
});
