import * as fc from 'fast-check';
import type {AgentEvent, Recorded, RunEvent} from '../../src/core/session/event.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {emptyTranscript, type Transcript} from '../../src/core/session/transcript.ts';

export const session = 'session-1';

/** Events as records of one session and server, a second apart. */
export function toRecords(events: readonly AgentEvent[], server = 'local', from = 0): readonly Recorded[] {
	return events.map((event, index) => ({
		v: 1,
		seq: from + index,
		at: new Date(Date.UTC(2026, 0, 1) + (from + index) * 1000).toISOString(),
		session,
		server,
		event,
	}));
}

export function reduceAll(records: readonly Recorded[], state = emptyTranscript(session)): Transcript {
	return records.reduce(reduceTranscript, state);
}

export function transcriptOf(...events: readonly AgentEvent[]): Transcript {
	return reduceAll(toRecords(events));
}

export const start = {type: 'run-start', runId: 'r1', model: 'custom/demo'} as const satisfies AgentEvent;
export const done = {type: 'run-end', reason: 'done', stopReason: 'end_turn'} as const satisfies AgentEvent;
export const user = (text: string, id = `u-${text}`): AgentEvent => ({type: 'user-message', id, text});
export const said = (text: string, messageId = 'm1', id = `t-${messageId}`): AgentEvent => ({
	type: 'text-delta',
	id,
	messageId,
	text,
});
export const thought = (text: string, messageId = 'm1', id = `r-${messageId}`): AgentEvent => ({
	type: 'reasoning-delta',
	id,
	messageId,
	text,
});
export const called = (id: string, messageId = 'm1', name = 'read_file'): AgentEvent => ({
	type: 'tool-call',
	id,
	messageId,
	name,
	arguments: {path: id},
});
export const answered = (id: string, output = `result of ${id}`, failed = false): AgentEvent => ({
	type: 'tool-result',
	id,
	output,
	failed,
	milliseconds: 5,
});
export const used = (messageId: string, input: number, output = 0, model = 'custom/demo'): AgentEvent => ({
	type: 'usage',
	messageId,
	model,
	usage: {input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0},
});
export const folded = (summary = 'So far', id = 'c1'): AgentEvent => ({type: 'compaction', id, summary});

const id = fc.constantFrom('a', 'b', 'c');
const text = fc.string({maxLength: 12});
const count = fc.nat({max: 100});

/** Any event of a run, in any place: also such as no agent would send. Few ids, so that they meet. */
const anyRunEvent: fc.Arbitrary<RunEvent> = fc.oneof(
	fc.record({type: fc.constant('run-start' as const), runId: id, model: id}),
	fc.record(
		{
			...{type: fc.constant('user-message' as const), id, text, commands: fc.array(id, {maxLength: 2})},
			date: fc.constant('2026-01-02'),
		},
		{requiredKeys: ['type', 'id', 'text']},
	),
	fc.record({type: fc.constant('user-command' as const), id, command: text}),
	fc.record({
		...{type: fc.constant('user-command-end' as const), id, output: text, end: text, milliseconds: count},
		status: fc.constantFrom('done' as const, 'failed' as const, 'interrupted' as const),
	}),
	fc.record({
		...{type: fc.constant('attachment' as const), id, name: text, text, tokens: count},
		source: fc.constantFrom('file' as const, 'none' as const),
	}),
	fc.record({type: fc.constant('text-delta' as const), id, messageId: id, text}),
	fc.record({type: fc.constant('reasoning-delta' as const), id, messageId: id, text}),
	fc.record({
		type: fc.constant('tool-call' as const),
		id,
		messageId: id,
		name: text,
		arguments: fc.constant({path: 'x'}),
	}),
	fc.record({type: fc.constant('approval-request' as const), id, summary: text, hash: id}),
	fc.record({type: fc.constant('approval-answer' as const), id, allowed: fc.boolean(), hash: id}),
	fc.record(
		{type: fc.constant('tool-output' as const), id, text, over: fc.nat(3), shown: text},
		{requiredKeys: ['type', 'id', 'text']},
	),
	fc.record({
		type: fc.constant('tool-result' as const),
		id,
		output: text,
		failed: fc.boolean(),
		milliseconds: count,
	}),
	fc.record(
		{
			...{type: fc.constant('usage' as const), messageId: id, model: id, task: id},
			usage: fc.record({input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count}),
		},
		{requiredKeys: ['type', 'messageId', 'model', 'usage']},
	),
	fc.record(
		{
			...{type: fc.constant('compaction' as const), id, summary: text, afterTokens: count},
			...{pinned: fc.array(id, {maxLength: 3}), carried: fc.array(id, {maxLength: 3})},
		},
		{requiredKeys: ['type', 'id', 'summary']},
	),
	fc.record({type: fc.constant('compaction-undo' as const), id}),
	fc.record({type: fc.constant('pin' as const), id, pinned: fc.boolean()}),
	fc.record({type: fc.constant('budget' as const), turn: count, session: count}, {requiredKeys: ['type']}),
	fc.record({type: fc.constant('notice' as const), level: fc.constantFrom('info' as const, 'error' as const), text}),
	fc.record({type: fc.constant('notice' as const), level: fc.constant('info' as const), text, waitMs: fc.nat(60_000)}),
	fc.record({type: fc.constant('rename' as const), title: text}),
	fc.record(
		{
			...{type: fc.constant('session-rule' as const), rule: text, folder: id},
			...{effect: fc.constantFrom('allow' as const, 'deny' as const), removed: fc.boolean()},
		},
		{requiredKeys: ['type', 'rule', 'folder', 'effect']},
	),
	fc.record({
		type: fc.constant('run-end' as const),
		reason: fc.constantFrom('done', 'interrupted', 'error', 'budget', 'incomplete'),
		stopReason: fc.constantFrom('end_turn', 'max_tokens', 'refusal', 'error'),
	}),
);

/** Any event, of the agent or of a sub-agent. */
export const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
	{arbitrary: anyRunEvent, weight: 4},
	{arbitrary: fc.record({type: fc.constant('task' as const), id, event: anyRunEvent}), weight: 1},
);
