import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {toMarkdown} from '../../../src/command/export/export-text.ts';
import {parseRecorded} from '../../../src/core/session/event.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {reduceTranscript, replayTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {sessionUsage} from '../../../src/core/session/session-usage.ts';
import {blocksOf, emptyTranscript} from '../../../src/core/session/transcript.ts';
import {anyEvent, reduceAll, session, toRecords} from '../records.ts';

const history = fc.array(anyEvent, {maxLength: 40}).map(events => toRecords(events));

test('live, recorded and batched in any way, the transcript is the same', () => {
	fc.assert(
		fc.property(history, fc.array(fc.nat({max: 40}), {maxLength: 5}), (records, cuts) => {
			const live = reduceAll(records);
			const stored = records.flatMap(record => parseRecorded(JSON.parse(JSON.stringify(record))) ?? []);
			expect(reduceAll(stored)).toEqual(live);

			const edges = [0, ...cuts.toSorted((a, b) => a - b), records.length];
			const batched = edges.reduce(
				(state, edge, index) => reduceAll(records.slice(edges[index - 1] ?? 0, edge), state),
				emptyTranscript(session),
			);
			expect(batched).toEqual(live);
			expect(replayTranscript(session, stored)).toEqual(live);
		}),
	);
});

test('a record applied to a replayed transcript leaves it as it was', () => {
	fc.assert(
		fc.property(history, fc.nat({max: 40}), (records, cut) => {
			const replayed = replayTranscript(session, records.slice(0, cut));
			const before = structuredClone(replayed);
			reduceAll(records, replayed);
			expect(replayed).toEqual(before);
		}),
	);
});

test('settled blocks only grow and never change, and none of them is open', () => {
	fc.assert(
		fc.property(history, records => {
			let state = emptyTranscript(session);
			for (const record of records) {
				const next = reduceTranscript(state, record);
				expect(next.settled.slice(0, state.settled.length)).toEqual(state.settled);
				expect(next.settled.every(block => !block.open)).toBe(true);
				expect(next.open[0]?.open ?? true).toBe(true);
				state = next;
			}
		}),
	);
});

test('nothing is open once a run has ended [17]', () => {
	fc.assert(
		fc.property(history, records => {
			const state = reduceAll([
				...records,
				...toRecords([{type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'}], 'local', records.length),
			]);
			expect([state.open, state.run]).toEqual([[], undefined]);
		}),
	);
});

test('repeated records change nothing, at any place', () => {
	fc.assert(
		fc.property(history, fc.nat({max: 40}), (records, from) => {
			const state = reduceAll(records);
			expect(reduceAll(records.slice(from), state)).toBe(state);
		}),
	);
});

test('every call in the conversation is answered directly, and nothing else is', () => {
	fc.assert(
		fc.property(history, records => {
			const waiting: string[] = [];
			for (const message of toMessages(reduceAll(records))) {
				if (message.role === 'tool') {
					expect(message.callId).toBe(waiting.shift());
				} else {
					expect(waiting).toEqual([]);
				}

				if (message.role === 'assistant') {
					expect(message.parts).not.toEqual([]);
					waiting.push(...message.parts.flatMap(part => (part.type === 'tool-call' ? [part.id] : [])));
				}
			}

			expect(waiting).toEqual([]);
		}),
	);
});

test('current usage is never more than the total, and both are whole numbers', () => {
	fc.assert(
		fc.property(history, records => {
			const usage = sessionUsage(reduceAll(records), () => undefined);
			for (const [name, value] of Object.entries(usage)) {
				if (name.startsWith('current_') && value !== null) {
					expect(value).toBeLessThanOrEqual(Number(Reflect.get(usage, name.replace('current_', 'total_'))));
				}

				expect(value === null || (Number.isInteger(value) && value >= 0)).toBe(true);
			}
		}),
	);
});

test('every transcript can be exported, with each message of the user in it', () => {
	fc.assert(
		fc.property(history, records => {
			const state = reduceAll(records);
			const markdown = toMarkdown(state);
			for (const block of blocksOf(state)) {
				expect(block.kind !== 'user' || markdown.includes(block.text)).toBe(true);
			}
		}),
	);
});
