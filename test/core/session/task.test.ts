import {expect, test} from 'vitest';
import type {AgentEvent, RunEvent} from '../../../src/core/session/event.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {replayTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {sessionUsage} from '../../../src/core/session/session-usage.ts';
import {blocksOf} from '../../../src/core/session/transcript.ts';
import {answered, called, done, said, session, start, toRecords, transcriptOf, used, user} from '../records.ts';

const inTask = (event: RunEvent, id = 'c1'): AgentEvent => ({type: 'task', id, event});
const ofTask = (messageId: string, input: number): AgentEvent => ({
	...{type: 'usage', messageId, model: 'custom/demo', cause: 'task', task: 'c1'},
	usage: {input, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0},
});
const begun = [start, user('Do it'), called('c1', 'm1', 'task'), used('m1', 100, 5)];
const inside = [
	inTask({type: 'run-start', runId: 'r2', model: 'custom/demo'}),
	inTask({type: 'user-message', id: 'u2', text: 'Find it.'}),
	inTask({type: 'tool-call', id: 'c1', messageId: 'm2', name: 'read_file', arguments: {path: 'a.ts'}}),
	ofTask('m2', 40),
];

const taskOf = (...events: readonly AgentEvent[]) => {
	const block = blocksOf(transcriptOf(...events)).find(each => each.kind === 'tool' && each.id === 'c1');
	return block?.kind === 'tool' ? block : undefined;
};

test('a call of a sub-agent shows how far it is, and keeps what it did', () => {
	expect(taskOf(...begun, ...inside)).toMatchObject({
		...{name: 'task', status: 'running', open: true},
		task: {calls: 1, tokens: 41, doing: 'Read a.ts'},
	});
	const ended = taskOf(
		...[...begun, ...inside, inTask({type: 'tool-result', id: 'c1', output: 'x', failed: false, milliseconds: 1})],
		...[inTask({type: 'text-delta', id: 't', messageId: 'm3', text: 'In a.ts.'}), ofTask('m3', 50)],
		...[
			inTask({type: 'run-end', reason: 'done', stopReason: 'end_turn'}),
			answered('c1', 'In a.ts.'),
			said('Ok', 'm4'),
		],
	);
	expect(ended).toMatchObject({status: 'done', output: 'In a.ts.', task: {calls: 1, tokens: 92, doing: ''}});
	expect(ended?.task?.settled.map(({kind}) => kind)).toEqual(['user', 'tool', 'text']);
});

test('in a replay, too, a call that has ended keeps what its sub-agent did when a later one has its id', () => {
	const step = (text: string) => inTask({type: 'user-message', id: text, text}, 'a');
	const events = [
		start,
		called('a', 'm1', 'task'),
		step('one'),
		answered('a'),
		step('late'),
		called('a', 'm2', 'task'),
	];
	const all = [...events, step('two'), answered('a'), done];
	expect(replayTranscript(session, toRecords(all))).toEqual(transcriptOf(...all));
});

test('the conversation, its messages and its window know nothing of what a sub-agent did, its totals do', () => {
	const transcript = transcriptOf(...begun, ...inside, answered('c1', 'In a.ts.'), said('Ok', 'm4'), done);
	expect(toMessages(transcript).map(({role}) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
	expect(sessionUsage(transcript, () => undefined)).toMatchObject({
		...{total_input_tokens: 140, total_message_count: 3, total_tool_call_count: 1, last_generation_input_tokens: 100},
	});
});

test.each<[string, AgentEvent]>([
	['an interrupt', {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'}],
	['the next run, if the program was killed', {...start, runId: 'r9'}],
])('%s ends the sub-agent and what it was doing', (_name, event) => {
	const block = taskOf(...begun, ...inside, event);
	expect(block).toMatchObject({status: 'interrupted', open: false, task: {open: [], doing: ''}});
	expect(block?.task?.settled.at(-1)).toMatchObject({kind: 'tool', status: 'interrupted'});
});
