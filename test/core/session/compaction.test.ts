import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {usedWindow} from '../../../src/core/session/compaction.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {sessionUsage} from '../../../src/core/session/session-usage.ts';
import {blocksOf, type Transcript} from '../../../src/core/session/transcript.ts';
import {anyEvent, folded, said, start, transcriptOf, used, user} from '../records.ts';

const carrying: AgentEvent = {type: 'compaction', id: 'c1', summary: 'So far', carried: ['u-c']};
const shrunk: AgentEvent = {type: 'compaction', id: 'c1', summary: 'So far', afterTokens: 80};
const undone = (id = 'c1'): AgentEvent => ({type: 'compaction-undo', id});
const pin = (id: string, pinned = true): AgentEvent => ({type: 'pin', id, pinned});
const textsOf = (transcript: Transcript) =>
	toMessages(transcript).map(message => ('text' in message ? message.text : message.role));
const usageOf = (transcript: Transcript) => sessionUsage(transcript, () => undefined);

test('undoing the last compaction gives the model the same conversation and the session the same usage as before it', () => {
	fc.assert(
		fc.property(fc.array(anyEvent, {maxLength: 20}), events => {
			const before = transcriptOf(...events);
			const after = transcriptOf(...events, folded('Short', 'last'), undone('last'));
			expect(toMessages(after)).toEqual(toMessages(transcriptOf(...events)));
			expect(usageOf(after)).toEqual({
				...usageOf(before),
				// The summary stays in the transcript as a record of what was done.
				current_message_count: usageOf(after).current_message_count,
				total_message_count: usageOf(after).total_message_count,
			});
			expect(usedWindow(after)).toBe(usedWindow(before));
		}),
	);
});

test('only the last compaction can be undone, and only once', () => {
	const two = [user('a'), folded('One', 'c1'), user('b'), folded('Two', 'c2')];
	const now = textsOf(transcriptOf(...two));
	expect(textsOf(transcriptOf(...two, undone('c1')))).toEqual(now);
	expect(textsOf(transcriptOf(...two, undone('c2')))).toEqual([expect.stringContaining('One'), 'b']);
	expect(transcriptOf(...two, undone('c2'), undone('c1')).compactions).toBe(1);
	expect(transcriptOf(undone()).seq).toBe(0);
});

test('what was said after a compaction stays when it is undone', () => {
	const transcript = transcriptOf(user('a'), folded(), user('b'), undone());
	expect(textsOf(transcript)).toEqual(['a', 'b']);
	expect(blocksOf(transcript).map(({kind}) => kind)).toEqual(['user', 'compaction', 'user', 'notice']);
});

test('pinned messages stand behind the summary word for word, through later compactions too', () => {
	const pinned: AgentEvent = {
		...{type: 'compaction', id: 'c1', summary: 'So far'},
		pinned: ['u-Never touch main', 'm1'],
	};
	const transcript = transcriptOf(start, user('Never touch main'), said('I will not.'), user('x'), pinned);
	const [summary, ...rest] = textsOf(transcript);
	expect(rest).toEqual([]);
	expect(summary).toMatch(
		/So far\n\n\[A message that the user pinned[\s\S]*\n\nNever touch main\n\n\[[\s\S]*\n\nI will not\.$/,
	);

	const again = transcriptOf(...[user('Never touch main'), pinned, user('y')], {...pinned, id: 'c2', summary: 'Later'});
	expect(textsOf(again)).toEqual([expect.stringMatching(/Later[\s\S]*Never touch main$/)]);
});

test('messages that were carried over follow the summary as messages of their own', () => {
	const transcript = transcriptOf(user('a'), said('b'), user('c'), carrying, said('d', 'm2'));
	expect(textsOf(transcript)).toEqual([expect.stringContaining('So far'), 'c', 'assistant']);
});

test('a rejected message that was carried over is left out, and the summary stays', () => {
	const transcript = transcriptOf(
		...[user('a'), said('b'), user('c'), carrying],
		{type: 'run-end', reason: 'error', stopReason: 'error', refused: true, error: {code: 'provider', message: 'No.'}},
		user('d'),
	);
	expect(textsOf(transcript)).toEqual([expect.stringContaining('So far'), 'd']);
});

test('pins keep their order, and a message is pinned once', () => {
	expect(transcriptOf(pin('a'), pin('b'), pin('a'), pin('c'), pin('b', false)).pins).toEqual(['a', 'c']);
});

test('the window holds what the last turn reported, or what a compaction left of it', () => {
	const turn = [user('a'), used('m1', 900, 100)];
	const usage = {input: 1000, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 0};
	const summing: AgentEvent = {type: 'usage', messageId: 's', model: 'custom/demo', cause: 'compaction', usage};
	expect(usedWindow(transcriptOf())).toBe(0);
	expect(usedWindow(transcriptOf(...turn))).toBe(1000);
	expect(usedWindow(transcriptOf(...turn, summing))).toBe(1000);
	expect(usedWindow(transcriptOf(...turn, shrunk))).toBe(80);
	expect(usedWindow(transcriptOf(...turn, shrunk, used('m2', 90, 5)))).toBe(95);
});
