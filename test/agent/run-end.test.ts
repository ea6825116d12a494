import fc from 'fast-check';
import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {call, collect, echo, finish, runOptions, type Script, scriptedModel, text, transcriptOf} from './scripted.ts';

const never = new Promise<never>(() => {});
const hung: Tool = {...echo, name: 'hung', run: () => never};
const interrupted = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};

test.each<[string, Script, AgentEvent['type']]>([
	['before the first token', [never], 'user-message'],
	['in the text', [text('Half'), never], 'text-delta'],
	['in a tool that does not listen', [call('hung'), finish('tool-calls')], 'tool-call'],
	['between a text and the next', [text('One'), text('Two'), finish('stop')], 'text-delta'],
])('an abort %s ends the run at once', async (_, script, last) => {
	const abort = new AbortController();
	const {ask} = scriptedModel(script);
	const events: AgentEvent[] = [];
	for await (const event of runAgent(runOptions({ask, tools: [hung], signal: abort.signal}))) {
		events.push(event);
		if (event.type === last) {
			setImmediate(() => abort.abort());
			await new Promise(setImmediate);
		}
	}

	expect(events.at(-1)).toEqual(interrupted);
	expect(events.filter(({type}) => type === 'run-end')).toHaveLength(1);
});

test("a run with an aborted signal keeps the user's message", async () => {
	const {ask, asked} = scriptedModel([text('a'), finish('stop')]);
	const events = await collect(runAgent(runOptions({ask, signal: AbortSignal.abort()})));
	expect(events.map(({type}) => type)).toEqual(['run-start', 'user-message', 'run-end']);
	expect([events.at(-1), asked.length]).toEqual([interrupted, 0]);
});

test('an interrupted call is answered in the history that the next run reads', async () => {
	const abort = new AbortController();
	const {ask} = scriptedModel([call('hung', {}, 'a'), call('echo', {word: 'b'}, 'b'), finish('tool-calls')]);
	const events: AgentEvent[] = [];
	for await (const event of runAgent(runOptions({ask, tools: [hung, echo], signal: abort.signal}))) {
		events.push(event);
		if (event.type === 'tool-result') {
			abort.abort();
		}
	}

	expect(toMessages(transcriptOf(events)).slice(2)).toEqual([
		{
			role: 'tool',
			callId: 'a',
			name: 'hung',
			output: 'This call was interrupted before it had a result.',
			failed: true,
		},
		{role: 'tool', callId: 'b', name: 'echo', output: 'echo b', failed: false},
	]);
});

test('a consumer that returns early stops the model and gets the end', async () => {
	const {ask, closed} = scriptedModel([text('a'), text('b'), never]);
	const events = runAgent(runOptions({ask}));
	await events.next();
	await events.next();
	await events.next();
	expect(await events.return()).toEqual({done: false, value: interrupted});
	expect(await events.next()).toEqual({done: true, value: undefined});
	expect(closed()).toBe(1);
});

test('a consumer that returns early stops the tools', async () => {
	const aborted: boolean[] = [];
	const listening: Tool = {
		...echo,
		run: async (_, {signal, onOutput}) => {
			signal.addEventListener('abort', () => aborted.push(true));
			onOutput('begun');
			return never;
		},
	};
	const {ask} = scriptedModel([call('echo'), finish('tool-calls')]);
	for await (const event of runAgent(runOptions({ask, tools: [listening]}))) {
		if (event.type === 'tool-output') {
			break;
		}
	}

	expect(aborted).toEqual([true]);
});

const step = fc.oneof(
	{weight: 4, arbitrary: fc.constantFrom('a', 'b\n', '').map(text)},
	{
		weight: 2,
		arbitrary: fc
			.tuple(fc.constantFrom('a', 'b', ''), fc.string())
			.map(([id, text]) => ({type: 'reasoning-delta', id, text}) as const),
	},
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.constantFrom('echo', 'fail', 'nope'), fc.constantFrom('a', 'b', ''))
			.map(([name, id]) => call(name, {word: id}, id)),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(new AppError('network', 'Cut.'), new AppError('auth', 'No.'), new TypeError('bug')),
	},
);
const ending = fc.constantFrom(
	[],
	[finish('stop')],
	[finish('tool-calls')],
	[finish('length')],
	[finish('content-filter')],
	[finish('error')],
);
const script = fc.tuple(fc.array(step, {maxLength: 6}), ending).map(([steps, end]): Script => [...steps, ...end]);
const failing: Tool = {...echo, name: 'fail', run: () => Promise.reject(new Error('broken'))};

test('a run ends exactly once and last with a valid history, whatever the model says and whenever it is aborted', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(script, {minLength: 1, maxLength: 4}),
			fc.option(fc.nat(20)),
			async (scripts, abortAt) => {
				const abort = new AbortController();
				const {ask, asked} = scriptedModel(...scripts, [finish('stop')]);
				const events: AgentEvent[] = [];
				for await (const event of runAgent(runOptions({ask, tools: [echo, failing], signal: abort.signal}))) {
					events.push(event);
					if (events.length === abortAt) {
						abort.abort();
					}
				}

				expect(events.filter(({type}) => type === 'run-end')).toHaveLength(1);
				expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run-start', 'run-end']);
				// A live session sends the same messages as a resumed one.
				const final = toMessages(transcriptOf(events));
				for (const messages of asked) {
					expect(final.slice(0, messages.length)).toEqual(messages);
				}
			},
		),
		{numRuns: 300},
	);
});
