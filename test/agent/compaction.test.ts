import {expect, test} from 'vitest';
import {type CompactionAccess, compactionThreshold} from '../../src/agent/context/sent-history.ts';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {
	call,
	collect,
	finish,
	type RunSettings,
	runOptions,
	type Script,
	scriptedModel,
	text,
	transcriptOf,
} from './scripted.ts';

const overflow = new AppError('provider', 'Too long.', {overflow: true});
const usage = (input: number, output = 0): ProviderEvent => ({
	type: 'usage',
	usage: {input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0},
});
const summary: Script = [usage(500, 20), text('What was '), text('done.'), finish('stop')];
const answer: Script = [text('Yes.'), finish('stop')];

const earlier: readonly AgentEvent[] = [
	{type: 'run-start', runId: 'run-0', model: 'custom/demo'},
	{type: 'user-message', id: 'u0', text: 'Earlier'},
	{type: 'text-delta', id: 't', messageId: 'm0', text: 'Of course.'},
	{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
];

/** Runs the agent after an earlier conversation. Returns its events, its requests, and the history of the next run. */
async function run(
	scripts: readonly Script[],
	{compaction, ...options}: Partial<Omit<RunSettings, 'compaction'>> & {compaction?: Partial<CompactionAccess>} = {},
) {
	const model = scriptedModel(...scripts);
	const events = await collect(
		runAgent(
			runOptions({
				ask: model.ask,
				messages: toMessages(transcriptOf(earlier)),
				...options,
				compaction: {windowSize: async () => 1000, usedTokens: 0, pinned: () => [], ...compaction},
			}),
		),
	);
	return {
		events,
		types: events.map(({type}) => type),
		asked: model.asked.map(messages => messages.map(wordsOf)),
		requests: model.asked,
		next: toMessages(transcriptOf([...earlier, ...events])),
		compaction: events.find(event => event.type === 'compaction'),
	};
}

const wordsOf = (message: Message) =>
	message.role === 'assistant' ? 'assistant' : message.role === 'tool' ? message.output : message.text;
const isSummary = expect.stringMatching(/compacted[\s\S]*What was done\.$/);
/** The request for a summary: the conversation as text below the instruction. */
const asksAbout = (...words: readonly string[]) =>
	expect.stringMatching(
		new RegExp(`^Stop here for a moment\\.[^]*<conversation>[^]*${words.join('[^]*')}[^]*</conversation>`),
	);

test('a full window is compacted before the next request, which carries the new message', async () => {
	const {types, asked, events, compaction} = await run([summary, answer], {compaction: {usedTokens: 950}});
	expect(types).toEqual(['run-start', 'user-message', 'usage', 'compaction', 'text-delta', 'run-end']);
	expect(asked).toEqual([[asksAbout('Earlier', 'Of course')], [isSummary, 'Hello']]);
	expect(events[2]).toMatchObject({type: 'usage', cause: 'compaction', usage: {input: 500, output: 20}});
	expect(compaction).toMatchObject({cause: 'automatic', beforeTokens: 952, carried: ['u1'], summary: 'What was done.'});
});

test('a window that fills between two turns is compacted with the results of the tools', async () => {
	const {asked, next} = await run([[usage(940), call('echo', {word: 'a'}), finish('tool-calls')], summary, answer]);
	expect(asked.slice(1)).toEqual([
		[asksAbout('Earlier', 'Of course', 'Hello', 'Tool echo: {"word":"a"}', 'echo a')],
		[isSummary],
	]);
	expect(next.map(wordsOf)).toEqual([isSummary, 'assistant']);
});

test('what a run sends after a compaction is what a resumed session sends', async () => {
	const pinned = () => [{id: 'u0', text: 'Earlier'}];
	const {requests, next} = await run([summary, answer], {compaction: {usedTokens: 950, pinned}});
	expect(next.slice(0, -1)).toEqual(requests[1]);
	expect(requests[1]?.map(wordsOf)).toEqual([
		expect.stringMatching(/What was done\.\n\n\[[\s\S]*\n\nEarlier$/),
		'Hello',
	]);
});

test('a request that overflows leads to one compaction, and is made again', async () => {
	const {types, asked, next, compaction} = await run([[overflow], summary, answer], {
		compaction: {windowSize: async () => undefined},
	});
	expect(types).toEqual(['run-start', 'user-message', 'notice', 'usage', 'compaction', 'text-delta', 'run-end']);
	expect(asked.slice(1)).toEqual([[asksAbout('Earlier', 'Of course')], [isSummary, 'Hello']]);
	expect(compaction).toMatchObject({cause: 'overflow', carried: ['u1']});
	expect(next.map(wordsOf)).toEqual([isSummary, 'Hello', 'assistant']);
});

test('a message that does not fit even then is left out, and the summary stays', async () => {
	const {events, asked, next} = await run([[overflow], summary, [overflow]]);
	expect(asked).toHaveLength(3);
	expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'error', refused: true});
	expect(next.map(wordsOf)).toEqual([isSummary]);
});

test('a first message that overflows is not compacted: there is nothing else', async () => {
	const {asked, types} = await run([[overflow]], {messages: []});
	expect([asked.length, types.includes('compaction')]).toEqual([1, false]);
});

test.each([
	['empty', [finish('stop')]],
	['refused', [text('No.'), finish('content-filter')]],
	['a call', [call('echo'), finish('tool-calls')]],
] as const)('a summary that is %s compacts nothing', async (_, script) => {
	const {events, next} = await run([script], {compact: {guidance: undefined}, prompt: undefined} as never);
	expect(events.at(-1)).toMatchObject({
		type: 'run-end',
		reason: 'error',
		error: {message: 'The model wrote no summary, so nothing was compacted.'},
	});
	expect(next).toEqual(toMessages(transcriptOf(earlier)));
});

test('a compaction that frees too little is not repeated in the same run', async () => {
	const big: Script = [text('y'.repeat(8000)), finish('stop')];
	const calls: Script = [call('echo', {word: 'a'}), finish('tool-calls')];
	const {types} = await run([big, calls, calls, answer], {compaction: {usedTokens: 990}});
	expect(types.filter(type => type === 'compaction')).toHaveLength(1);
});

test.each([
	[70_000, 79_000, undefined],
	[70_000, 81_000, '81% of the context window is used.'],
	[82_000, 89_000, undefined],
	[82_000, 90_500, '90% of the context window is used.'],
	[82_000, 95_000, undefined],
])('a turn that takes the window from %i to %i tokens of 100,000 warns: %s', async (usedTokens, now, warning) => {
	const {events} = await run([[usage(now), text('Yes.'), finish('stop')]], {
		compaction: {usedTokens, windowSize: async () => 100_000},
	});
	const notices = events.flatMap(event => (event.type === 'notice' ? [event.text] : []));
	expect(notices).toEqual(warning === undefined ? [] : [warning]);
});

test('a window is compacted while room for the summary and an answer is left', () => {
	const sizes = [4000, 32_000, 200_000, 1_000_000];
	expect(sizes.map(size => compactionThreshold(size))).toEqual([2000, 24_000, 184_000, 920_000]);
	expect(sizes.map(size => compactionThreshold(size, 0.6))).toEqual([2000, 19_200, 120_000, 600_000]);
	expect(sizes.map(size => compactionThreshold(size, 0.3))).toEqual([1200, 9600, 60_000, 300_000]);
});
