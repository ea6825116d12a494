import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {readInvocation} from '../../src/command/invocation.ts';
import {AppError} from '../../src/core/error.ts';
import {runHeadless} from '../../src/headless/headless.ts';
import {createAppStore} from '../../src/store/store.ts';
import {output} from './output.ts';

type Compose = Parameters<typeof runHeadless>[1]['compose'];

/** Runs these arguments; `interrupt` does what Ctrl+C does. */
function started(argv: readonly string[], compose: Compose, stop = new AbortController()) {
	const stdin = Object.assign(new PassThrough(), {isTTY: true});
	const invocation = readInvocation(argv);
	if (invocation.mode !== 'once') {
		throw new Error('This is no single run.');
	}

	const [stdout, stderr] = [output(), output()];
	const ended = runHeadless(invocation, {store: createAppStore(), compose, stdin, stdout, stderr, signal: stop.signal});
	return {interrupt: () => stop.abort(), ended: ended.then(status => [status, stdout.text(), stderr.text()] as const)};
}

const never: Compose = () => new Promise(() => undefined);
const noUsage = {
	input_tokens: 0,
	output_tokens: 0,
	cache_read_input_tokens: 0,
	cache_creation_input_tokens: 0,
	reasoning_tokens: 0,
};

test('an interrupt before the run exits with 130 and a result', async () => {
	const run = started(['-p', 'Hi', '--output-format', 'json'], never);
	run.interrupt();
	const [status, stdout, stderr] = await run.ended;
	expect([status, stderr]).toEqual([130, 'service: Interrupted.\n']);
	expect(JSON.parse(stdout)).toEqual({
		type: 'result',
		text: '',
		tool_calls: [],
		stop_reason: 'incomplete',
		usage: noUsage,
		cost_usd: null,
		session_id: '',
		error: {code: 'interrupted', message: 'Interrupted.'},
		warnings: [],
		refused: 0,
	});
});

test('an interrupt while the program loads has its result too', async () => {
	const stop = new AbortController();
	stop.abort();
	const [status, stdout] = await started(['-p', 'Hi', '--output-format', 'json'], never, stop).ended;
	expect([status, JSON.parse(stdout)]).toMatchObject([130, {error: {code: 'interrupted'}}]);
});

test.each(['json', 'stream-json'])('an error before the run is a result of %s as well', async format => {
	const refused = async () => {
		throw new AppError('failed', 'Cannot read it.', {hint: 'Repair it.'});
	};
	const [status, stdout, stderr] = await started(['-p', 'Hi', '--output-format', format], refused).ended;
	expect([status, stderr]).toEqual([1, 'service: Cannot read it.\n  Repair it.\n']);
	expect(JSON.parse(stdout)).toMatchObject({
		stop_reason: 'error',
		error: {code: 'failed', message: 'Cannot read it.'},
	});
});

test('an error as text is on standard error alone', async () => {
	const run = started(['-p', 'Hi'], never);
	run.interrupt();
	expect(await run.ended).toEqual([130, '', 'service: Interrupted.\n']);
});

test('an interrupt while the keychain is asked sends nothing', async () => {
	const stop = new AbortController();
	const sent: string[] = [];
	const find = async () => {
		stop.abort();
		return false;
	};
	const program = {
		warnings: () => [],
		project: {
			folder: {unasked: () => undefined},
			files: {state: async () => ({files: [], ownFaults: [], faults: []})},
		},
		model: {choose: async () => undefined},
		prompts: {checkMedia: async () => undefined},
		commands: {all: () => []},
		local: {secrets: {find}},
		session: {
			conversation: {send: async (text: string) => void sent.push(text), interrupt: () => undefined},
			onRecord: () => undefined,
			agents: async () => ({others: async () => []}),
		},
		endTraces: async () => undefined,
	};
	const compose = (async () => program) as unknown as Compose;
	const [status, , stderr] = await started(['-p', 'Hi'], compose, stop).ended;
	expect([status, stderr, sent]).toEqual([130, 'service: Interrupted.\n', []]);
});
