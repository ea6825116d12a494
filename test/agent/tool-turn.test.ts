import {rm, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {replaced} from '../../src/loader/chunks.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {call, collect, echo, finish, runOptions, scriptedModel, text} from './scripted.ts';
import {makeWorkspace} from './tools/workspace.ts';

const last = [text('Done.'), finish('stop')];

async function resultsOf(calls: readonly ProviderEvent[], tools: readonly Tool[]) {
	const {ask, asked} = scriptedModel([...calls, finish('tool-calls')], last);
	const events = await collect(runAgent(runOptions({ask, tools})));
	return {events, results: events.filter(event => event.type === 'tool-result'), asked};
}

test('reading tools run in parallel; results come as they are ready, and the model reads them in call order', async () => {
	const gate = withResolvers();
	const slow = {...echo, name: 'slow', run: async () => `slow ${await gate.promise}`};
	const fast = {...echo, name: 'fast', run: async () => `fast ${gate.resolve('after fast')}`};
	const {results, asked} = await resultsOf([call('slow', {}, 'a'), call('fast', {}, 'b')], [slow, fast]);

	expect(results.map(({id}) => id)).toEqual(['b', 'a']);
	expect(asked[1]?.slice(2).map(message => message.role === 'tool' && message.callId)).toEqual(['a', 'b']);
});

test('the words of a tool travel with its call, which the model reads without them, and its facts with its result', async () => {
	const count: Tool = {
		...echo,
		name: 'count',
		words: ({what}) => ({verb: 'Count', subject: String(what)}),
		async run(_, {onFacts}) {
			onFacts?.({lines: 1});
			onFacts?.({lines: 2, left: 3});
			return 'one\ntwo';
		},
	};
	const {events, results, asked} = await resultsOf(
		[call('count', {what: 'stars'}), call('echo', {}, 'e')],
		[count, echo],
	);
	const calls = events.filter(event => event.type === 'tool-call');
	expect(calls.map(({words}) => words)).toEqual([{verb: 'Count', subject: 'stars'}, undefined]);
	expect(results.map(({facts}) => facts)).toEqual([{lines: 2, left: 3}, undefined]);
	expect(JSON.stringify(asked)).not.toMatch(/"Count"|"left":3/);
});

test('no more than eight tools run at the same time', async () => {
	let running = 0;
	let most = 0;
	const busy = {
		...echo,
		async run() {
			most = Math.max(most, ++running);
			await new Promise(setImmediate);
			running--;
			return '';
		},
	};
	const {results} = await resultsOf(
		Array.from({length: 30}, (_, index) => call('echo', {}, `c${index}`)),
		[busy],
	);
	expect([results.length, most]).toEqual([30, 8]);
});

test('a tool that changes something runs alone, after the calls before it', async () => {
	const log: string[] = [];
	const tool = (name: string, readOnly: boolean): Tool => ({
		...echo,
		name,
		readOnly,
		async run() {
			log.push(`${name} begins`);
			await new Promise(setImmediate);
			log.push(`${name} ends`);
			return '';
		},
	});
	await resultsOf(
		[call('read', {}, 'a'), call('write', {}, 'b'), call('read', {}, 'c')],
		[tool('read', true), tool('write', false)],
	);
	expect(log).toEqual(['read begins', 'read ends', 'write begins', 'write ends', 'read begins', 'read ends']);
});

test.each([
	['app', 'Ask the user to log in: /login'],
	['shell', 'Ask the user to log in: service login'],
] as const)('an error names commands as the user of the %s types them', async (commandPlace, told) => {
	const refused: Tool = {
		...echo,
		async run() {
			throw new AppError('auth', 'No login.', {hint: 'Ask the user to log in: `login`'});
		},
	};
	const {ask, asked} = scriptedModel([call('echo'), finish('tool-calls')], last);
	await collect(runAgent(runOptions({ask, tools: [refused], commandPlace})));
	expect(JSON.stringify(asked[1]?.at(-1))).toContain(`No login. ${told}"`);
});

test('output of a running tool comes before its result', async () => {
	const chatty: Tool = {
		...echo,
		async run(_, {onOutput}) {
			onOutput('one\n');
			onOutput('two\n');
			return 'one\ntwo\n';
		},
	};
	const {events} = await resultsOf([call('echo')], [chatty]);
	expect(events.slice(3, 6)).toEqual([
		{type: 'tool-output', id: 'call-1', text: 'one\n'},
		{type: 'tool-output', id: 'call-1', text: 'two\n'},
		{type: 'tool-result', id: 'call-1', output: 'one\ntwo\n', failed: false, milliseconds: 0},
	]);
});

test('an error of a tool is answered with its message and hint', async () => {
	const failing: Tool = {
		...echo,
		async run() {
			throw new AppError('not-found', 'There is no file x.', {hint: 'Look with list_files.'});
		},
	};
	const {results} = await resultsOf([call('echo')], [failing]);
	expect(results).toEqual([
		{
			type: 'tool-result',
			id: 'call-1',
			output: 'There is no file x. Look with list_files.',
			failed: true,
			milliseconds: 0,
		},
	]);
});

test('a bug in a tool gives a failed result and a notice, and does not end the run', async () => {
	const broken: Tool = {
		...echo,
		run() {
			throw new TypeError('x is undefined');
		},
	};
	const {events} = await resultsOf([call('echo')], [broken]);
	expect(events.slice(3)).toEqual([
		{type: 'notice', level: 'error', text: 'The tool echo failed. Something went wrong inside service: x is undefined'},
		{
			type: 'tool-result',
			id: 'call-1',
			output: 'The tool echo is broken: Something went wrong inside service: x is undefined',
			failed: true,
			milliseconds: 0,
		},
		{type: 'text-delta', id: 't', messageId: 'id-2', text: 'Done.'},
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
	]);
});

test('a tool that needs the working folder is not broken when that is gone', async () => {
	const {workspace} = await makeWorkspace();
	await rm(workspace, {recursive: true});
	const {ask} = scriptedModel([call('echo'), finish('tool-calls')], last);
	const tool: Tool = {...echo, run: async () => `${await stat(workspace)}`};
	const events = await collect(runAgent(runOptions({ask, tools: [tool], workspace})));
	expect(events.filter(({type}) => type === 'tool-result' || type === 'notice')).toMatchObject([
		{type: 'tool-result', output: 'The working folder no longer exists. Ask the user to restore it.', failed: true},
	]);
});

test('a tool that the build lacks says how to continue', async () => {
	const broken: Tool = {
		...echo,
		run() {
			throw replaced('edit');
		},
	};
	const {events} = await resultsOf([call('echo')], [broken]);
	expect(events[3]).toMatchObject({
		text: expect.stringMatching(
			/^The tool echo failed\. service was changed on disk .* continue it with `?.*--continue/,
		),
	});
});

test('an unknown tool is answered with the available names', async () => {
	const {results} = await resultsOf([call('rm_rf')], [echo]);
	expect(results.map(({output, failed}) => [output, failed])).toEqual([
		['Unknown tool “rm_rf”. Available: echo.', true],
	]);
});

test('malformed arguments are answered with the schema, and nothing is run', async () => {
	const call: ProviderEvent = {type: 'tool-call', id: 'a', name: 'echo', arguments: {}, malformed: '{"word": "a'};
	const {results} = await resultsOf([call], [echo]);
	expect(results.map(({output, failed}) => [output, failed])).toEqual([
		[
			'The arguments were not a JSON object: {"word": "a\nNothing was run. Call echo again with a JSON object ' +
				'of this schema: {"type":"object","properties":{"word":{"type":"string"}}}',
			true,
		],
	]);
});

test('a huge result keeps its head and its tail', async () => {
	const {results} = await resultsOf([call('echo')], [{...echo, run: async () => `a${'x'.repeat(2_000_000)}z`}]);
	expect(results[0]?.output).toMatch(/^ax{23699}\n\[… \d+ characters left out: .* at most 32 kB\..* …\]\nx{7899}z$/);
});

test('calls with the same id get unique ones', async () => {
	const {events, asked} = await resultsOf(
		[call('echo', {word: 'a'}), call('echo', {word: 'b'}), call('echo', {word: 'c'}, '')],
		[echo],
	);
	expect(events.flatMap(event => (event.type === 'tool-result' ? [[event.id, event.output]] : []))).toEqual([
		['call-1', 'echo a'],
		['id-2', 'echo b'],
		['id-3', 'echo c'],
	]);
	expect(asked[1]?.filter(message => message.role === 'tool').map(({callId}) => callId)).toEqual([
		'call-1',
		'id-2',
		'id-3',
	]);
});

function withResolvers() {
	let resolve = (_: unknown) => {};
	const promise = new Promise(settle => {
		resolve = settle;
	});
	return {promise, resolve};
}
