import {expect, test} from 'vitest';
import {resultFormat, resultIn, resultObject, resultWithoutRun, statusOf} from '../../src/headless/result-object.ts';
import {
	answered,
	called,
	done,
	reduceAll,
	said,
	session,
	start,
	toRecords,
	transcriptOf,
	user,
} from '../core/records.ts';

const priceOf = (model: string) =>
	model === 'custom/demo' ? {input: 1, cacheRead: 1, cacheWrite: 1, output: 10} : undefined;
const whole = {from: 0, usedBefore: 0, priceOf};
const usage = (messageId: string, model = 'custom/demo') =>
	({
		type: 'usage',
		messageId,
		model,
		usage: {input: 100, cacheRead: 20, cacheWrite: 3, output: 10, reasoning: 4},
	}) as const;

test('a run is summed up in the fields of the interface', () => {
	const transcript = transcriptOf(
		start,
		user('Read both'),
		said('I read them.'),
		called('one'),
		called('two', 'm1', 'list_files'),
		usage('m1'),
		answered('two'),
		answered('one'),
		said('Both ', 'm2', 'a'),
		said('are fine.', 'm2', 'b'),
		usage('m2'),
		done,
	);
	expect(resultObject(transcript, done, whole)).toEqual({
		type: 'result',
		text: 'Both are fine.',
		tool_calls: [
			{name: 'read_file', arguments: {path: 'one'}},
			{name: 'list_files', arguments: {path: 'two'}},
		],
		stop_reason: 'end_turn',
		usage: {
			input_tokens: 200,
			output_tokens: 20,
			cache_read_input_tokens: 40,
			cache_creation_input_tokens: 6,
			reasoning_tokens: 8,
		},
		cost_usd: 0.000446,
		session_id: session,
		error: null,
		warnings: [],
		refused: 0,
	});
});

test('usage before the run is left out', () => {
	const before = transcriptOf(start, user('a'), said('Old'), called('old'), usage('m1'), done);
	const records = toRecords([{...start, runId: 'r2'}, user('b'), said('New', 'm2'), usage('m2'), done], 'local', 6);
	const from = before.settled.length;
	expect(resultObject(reduceAll(records, before), done, {from, usedBefore: 1, priceOf})).toMatchObject({
		text: 'New',
		tool_calls: [],
		usage: {input_tokens: 100},
	});
});

test('the text is the last message with text, or empty', () => {
	expect(resultObject(transcriptOf(start, user('a'), done), done, whole)).toMatchObject({text: '', cost_usd: null});
	const silent = transcriptOf(start, said('Said.'), called('one'), answered('one'), said(' \n', 'm2'), done);
	expect(resultObject(silent, done, whole).text).toBe('Said.');
});

test('an unknown price makes the cost null', () => {
	expect(resultObject(transcriptOf(start, usage('m1'), usage('m2', 'x/y')), done, whole).cost_usd).toBeNull();
});

const error = {code: 'auth', message: 'The key was refused.', hint: 'Run keys set.'} as const;

test.each([
	['done', 'end_turn', undefined, 0, null],
	['done', 'max_tokens', undefined, 3, 'incomplete'],
	['done', 'refusal', undefined, 3, 'incomplete'],
	['done', 'refusal', {code: 'incomplete', message: 'Filtered.'}, 3, 'incomplete'],
	['interrupted', 'incomplete', undefined, 130, 'interrupted'],
	['incomplete', 'incomplete', undefined, 3, 'incomplete'],
	['incomplete', 'incomplete', {code: 'incomplete', message: 'Cut.'}, 3, 'incomplete'],
	['budget', 'tool_use', {code: 'budget', message: 'Used up.'}, 7, 'budget'],
	['error', 'error', error, 4, 'auth'],
	['error', 'error', {code: 'not-found', message: 'No such model.'}, 5, 'not-found'],
	['error', 'error', {code: 'provider', message: 'Overloaded.'}, 6, 'provider'],
	['error', 'error', {code: 'network', message: 'No connection.'}, 6, 'network'],
	['error', 'error', undefined, 1, 'failed'],
] as const)('a run that ended as %s (%s, %j) has the status %i', (reason, stopReason, failure, status, code) => {
	const end = {type: 'run-end', reason, stopReason, ...(failure && {error: failure})} as const;
	expect(statusOf(end)).toBe(status);
	const result = resultObject(transcriptOf(start, end), end, whole);
	expect([result.stop_reason, result.error?.code ?? null]).toEqual([stopReason, code]);
});

test('an error is its message without the hint', () => {
	const end = {type: 'run-end', reason: 'error', stopReason: 'error', error} as const;
	expect(resultObject(transcriptOf(start, end), end, whole).error).toEqual({
		code: 'auth',
		message: 'The key was refused.',
	});
});

test.each<[readonly string[], boolean]>([
	[['-p', 'hi', '--output-format', 'json'], true],
	[['--output-format=stream-json', '--print', '--nowhere'], true],
	[['-p', 'hi', '--output-format', 'text'], false],
	[['-p', 'hi', '--output-format'], false],
	[['sessions', '--output-format', 'json'], false],
	[['-p', '--', '--output-format', 'json'], false],
	[['-p', '--output-format', 'json', '--output-format', 'text'], false],
	[['-cp', '--output-format=json', '--nowhere'], true],
])('%j asks for a result object: %s', (argv, asks) => {
	expect(resultFormat(argv) !== undefined).toBe(asks);
});

test('the last line of stream-json is a record with the result, whose fields also stand beside it; the old one is the result', () => {
	const result = resultWithoutRun({code: 'auth', message: 'No key.'});
	expect(resultIn('json', result)).toBe(result);
	expect(resultIn('stream-json-old', result)).toBe(result);
	const last = {v: 1, seq: 7, at: '2026-01-01T00:00:00.000Z', session, server: 'local', event: start} as const;
	const at = expect.stringMatching(/Z$/);
	expect(resultIn('stream-json', result, last)).toEqual({...result, ...last, seq: 8, at, event: result});
	expect(resultIn('stream-json', result)).toMatchObject({v: 1, seq: 0, session: '', server: 'local', event: result});
});
