import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {reduceTranscript, replayTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {blocksOf, emptyTranscript} from '../../../src/core/session/transcript.ts';
import {expectLinear} from '../../growth.ts';
import {
	answered,
	called,
	done,
	folded,
	reduceAll,
	said,
	session,
	start,
	thought,
	toRecords,
	transcriptOf,
	used,
	user,
} from '../records.ts';

test('a run becomes the blocks that are drawn, in the order in which they happened', () => {
	const transcript = transcriptOf(
		start,
		user('Hi', 'u1'),
		thought('Hm'),
		said('Hel'),
		said('lo'),
		called('c1'),
		answered('c1', 'text'),
		done,
	);
	const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
	const common = {messageId: 'm1', model: 'custom/demo', open: false};
	expect(transcript).toEqual({
		...emptyTranscript(session),
		...{seq: 7, beganAt: at(0)},
		settled: [
			{kind: 'user', id: 'u1', text: 'Hi', open: false},
			{...common, kind: 'reasoning', id: 'r-m1', text: 'Hm', at: at(2), endedAt: at(3)},
			{...common, kind: 'text', id: 't-m1', text: 'Hello', at: at(3), endedAt: at(5)},
			{
				...common,
				kind: 'tool',
				id: 'c1',
				name: 'read_file',
				arguments: {path: 'c1'},
				status: 'done',
				output: 'text',
				milliseconds: 5,
				at: at(5),
			},
		],
	});
});

test('parallel tools keep their order, whichever ends first', () => {
	const running = transcriptOf(start, called('one'), called('two'), answered('two'));
	expect(running.settled).toEqual([]);
	expect(running.open.map(block => 'id' in block && [block.id, block.open])).toEqual([
		['one', true],
		['two', false],
	]);

	const ended = reduceAll(toRecords([answered('one')], 'local', 4), running);
	expect(ended.settled.map(block => 'id' in block && block.id)).toEqual(['one', 'two']);
	expect(ended.open).toEqual([]);
});

test('a tool without a result becomes interrupted when the run ends [17]', () => {
	const transcript = transcriptOf(
		start,
		called('one'),
		{type: 'tool-output', id: 'one', text: 'half'},
		{type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'},
	);
	expect(blocksOf(transcript)).toMatchObject([
		{kind: 'tool', status: 'interrupted', output: 'half', open: false, milliseconds: undefined},
		{kind: 'end', reason: 'interrupted', text: 'Interrupted.'},
	]);
	expect(transcript.run).toBeUndefined();
});

test('a tool without a result becomes interrupted when another run starts after a crash [17]', () => {
	expect(blocksOf(transcriptOf(start, called('one'), {...start, runId: 'r2'}))).toMatchObject([
		{kind: 'tool', status: 'interrupted', open: false},
	]);
});

test('a tool that asks continues after the answer, allowed or not', () => {
	const asking = transcriptOf(start, called('one'), {type: 'approval-request', id: 'one', summary: 's', hash: 'h'});
	expect(asking.open).toMatchObject([{status: 'asking', open: true}]);
	const answer = toRecords([{type: 'approval-answer', id: 'one', allowed: false, hash: 'h'}], 'local', 3);
	expect(reduceAll(answer, asking).open).toMatchObject([{status: 'running', open: true}]);
});

test('pieces of output are joined until the result replaces them', () => {
	const piece = (text: string) => ({type: 'tool-output', id: 'one', text}) as const;
	const running = transcriptOf(start, called('one'), piece('a'), piece('b'));
	expect(running.open).toMatchObject([{output: 'ab'}]);
	expect(reduceAll(toRecords([answered('one', 'whole')], 'local', 4), running).settled).toMatchObject([
		{output: 'whole', status: 'done'},
	]);
});

test('records of another session are dropped [20]', () => {
	const state = transcriptOf(start);
	const [record] = toRecords([said('No')], 'local', 1);
	expect(record && reduceTranscript(state, {...record, session: 'other'})).toBe(state);
});

test('events of a run are dropped when they come from another server than the run began on [20]', () => {
	const state = reduceAll(toRecords([start, said('Yes')], 'https://a.test'));
	expect(reduceAll(toRecords([said('No'), done], 'https://b.test', 2), state)).toBe(state);
	expect(reduceAll(toRecords([said('!')], 'https://a.test', 2), state).open).toMatchObject([{text: 'Yes!'}]);
});

test('what the user did after a run that was cut off counts, whatever server they were on', () => {
	const rule = {type: 'session-rule', rule: 'run_command(ls)', effect: 'deny', folder: '/work'} as const;
	const state = reduceAll(toRecords([start, said('Cut')], 'https://a.test'));
	const later: readonly AgentEvent[] = [
		{type: 'user-command', id: 'c1', command: 'ls'},
		{type: 'user-command-end', id: 'c1', output: 'a', end: 'exit status 0', status: 'done', milliseconds: 1},
		{type: 'restore', id: 'r1', how: 'undo', steps: ['s1'], paths: ['a'], count: 1, before: 'b', after: 'c'},
		rule,
		{type: 'pin', id: 'm1', pinned: true},
		{...start, runId: 'r2'},
	];
	const resumed = reduceAll(toRecords(later, 'https://b.test', 2), state);
	expect(resumed.settled.map(({kind}) => kind)).toEqual(['text', 'command', 'restore']);
	expect(resumed).toMatchObject({pins: ['m1'], rules: [{rule: rule.rule}], changes: [{id: 'r1'}]});
});

test('after a run the conversation may continue on another server', () => {
	const state = reduceAll(toRecords([start, said('One'), done], 'https://a.test'));
	const next = reduceAll(toRecords([{...start, runId: 'r2'}, said('Two', 'm2')], 'https://b.test', 3), state);
	expect(next.run).toMatchObject({id: 'r2', server: 'https://b.test'});
	expect(next.open).toMatchObject([{text: 'Two'}]);
});

test('a record that was seen before changes nothing', () => {
	const records = toRecords([start, said('Once')]);
	const state = reduceAll(records);
	expect(reduceAll(records, state)).toBe(state);
});

test('a title may come from any server, even during a run', () => {
	const state = reduceAll(toRecords([{type: 'rename', title: 'New'}], 'elsewhere', 1), transcriptOf(start));
	expect([state.title, state.run?.id]).toEqual(['New', 'r1']);
});

test.each([
	['done', 'end_turn', []],
	['done', 'max_tokens', ['The answer was cut at the token limit.']],
	['done', 'refusal', ['The model declined to answer.']],
	['interrupted', 'incomplete', ['Interrupted.']],
	['error', 'error', ['The run failed.']],
	['budget', 'tool_use', ['The budget of this run is used up.']],
	['incomplete', 'incomplete', ['The answer is incomplete: the connection ended before the model did.']],
] as const)('a run that ended as %s (%s) says %j', (reason, stopReason, texts) => {
	const blocks = blocksOf(transcriptOf(start, {type: 'run-end', reason, stopReason}));
	expect(blocks.map(block => block.kind === 'end' && block.text)).toEqual(texts);
});

test('the reason of a failed run and what to do about it are kept', () => {
	const error = {code: 'auth', message: 'The key was refused.', hint: 'Run keys set openai.'} as const;
	expect(blocksOf(transcriptOf(start, {type: 'run-end', reason: 'error', stopReason: 'error', error}))).toEqual([
		{kind: 'end', reason: 'error', text: error.message, hint: error.hint, open: false},
	]);
});

test('an opaque item stays when later pieces come without one', () => {
	const opaque = {wire: 'anthropic', data: 'signature'};
	const state = transcriptOf(
		start,
		{type: 'reasoning-delta', id: 'r', messageId: 'm', text: '', opaque},
		{
			type: 'reasoning-delta',
			id: 'r',
			messageId: 'm',
			text: 'Hm',
		},
	);
	expect(state.open).toMatchObject([{text: 'Hm', opaque}]);
});

test('a compaction begins an era and folds what was used before it', () => {
	const state = transcriptOf(user('a'), said('b'), used('m1', 10), folded(), user('c'), used('m2', 3));
	expect([state.compactions, state.eraStart]).toEqual([1, 2]);
	expect([...state.usage].map(([id, {current}]) => [id, current])).toEqual([
		['m1', false],
		['m2', true],
	]);
});

test('a late correction of folded usage stays in its era', () => {
	const state = transcriptOf(used('m1', 10), folded(), used('m1', 12));
	expect([...state.usage.values()]).toMatchObject([{current: false, usage: {input: 12}}]);
});

test('the list of steps is that of the last call that succeeded, until all of it is done', () => {
	const plan = (state: string, id: string, failed = false): readonly AgentEvent[] => [
		{type: 'tool-call', id, messageId: 'm', name: 'todo', arguments: {items: [{text: 'Fix', state}]}},
		{type: 'tool-result', id, output: 'ok', failed, milliseconds: 1},
	];
	const todoAfter = (...events: readonly AgentEvent[]) => transcriptOf(start, ...events).todo.map(({state}) => state);
	expect(todoAfter(...plan('active', 'a'))).toEqual(['active']);
	expect(todoAfter(...plan('active', 'a'), ...plan('done', 'b', true))).toEqual(['active']);
	expect(todoAfter(...plan('odd', 'a'))).toEqual([]);
	expect(todoAfter(...plan('active', 'a'), done)).toEqual(['active']);
	expect(todoAfter(...plan('done', 'a'))).toEqual(['done']);
	expect(todoAfter(...plan('done', 'a'), done)).toEqual([]);
});

test('replaying a journal takes time in proportion to its length', () => {
	const turn = (_: unknown, index: number) => [
		start,
		user('Hi', `u${index}`),
		said('Hello', `m${index}`),
		called(`c${index}`, `m${index}`),
		answered(`c${index}`),
		used(`m${index}`, 10),
		done,
	];
	const records = toRecords(Array.from({length: 2000}, turn).flat());
	expectLinear(turns => replayTranscript(session, records.slice(0, 7 * turns)), 500);
});
