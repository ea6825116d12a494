import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {reduceTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../../src/core/session/transcript.ts';
import {call, canvas, end, result, say, start, user} from '../canvas.ts';

describe('a resumed session', () => {
	const answer = (index: number): readonly AgentEvent[] => [
		{...start, runId: `r${index}`},
		user(`question ${index}`, `u${index}`),
		{type: 'text-delta', id: `t${index}`, messageId: `m${index}`, text: `answer ${index}`},
		end,
	];
	const note = '… earlier messages are not shown; /export has them all';

	/** A session on screen, then another one that is resumed with these events. */
	const resumed = (events: readonly AgentEvent[]) => {
		const made = canvas();
		const {store, recorded, painter, taken} = made;
		painter.print(() => ['Welcome.']);
		taken();
		const before = made.writes();
		const records = recorded(events).map(record => ({...record, session: 's2'}));
		store.getState().openTranscript(records.reduce(reduceTranscript, emptyTranscript('s2')));
		painter.advance();
		return {...made, writes: () => made.writes() - before};
	};

	test('is written at once, separated from the lines on the screen', () => {
		const {taken, writes} = resumed([...answer(1), ...answer(2)]);
		expect(taken()).toEqual(['', '❯ question 1', '', '● answer 1', '', '❯ question 2', '', '● answer 2']);
		expect(writes()).toBe(1);
	});

	test.each([
		[
			'of 2,000 lines in few messages',
			[...answer(1), {...start, runId: 'r9'}, say('- item\n'.repeat(2000)), end, ...answer(2)],
		],
		['of 2,000 lines in many messages', Array.from({length: 500}, (_, index) => answer(index)).flat()],
		[
			'of 2,000 calls',
			[
				start,
				...Array.from({length: 2000}, (_, index) => [
					call(`${index}`, 'run_command', {command: 'ls'}),
					result(`${index}`),
				]).flat(),
				...answer(2),
			],
		],
	])('%s is written by its last 1,000 lines, at once, with a word on the rest', (_, events) => {
		const {taken, writes} = resumed(events);
		const lines = taken();
		expect(lines.length).toBeLessThanOrEqual(1001);
		expect(lines[0]).toBe(note);
		expect(lines.at(-1)).toMatch(/^● answer /);
		expect(writes()).toBe(1);
	});

	test('leaves what was printed above it on the screen, where it can be renewed', () => {
		const {store, painter, recorded} = canvas();
		const welcome = () => ['No model selected'];
		painter.print(welcome);
		const records = recorded(answer(1)).map(record => ({...record, session: 's2'}));
		store.getState().openTranscript(records.reduce(reduceTranscript, emptyTranscript('s2')));
		painter.advance();
		painter.renew(welcome, () => ['custom/alpha']);
		const answered = ['', '❯ question 1', '', '● answer 1'];
		expect(painter.rewrap(['No model selected', ...answered], 60)).toEqual({
			count: 5,
			lines: ['custom/alpha', ...answered],
		});
	});

	test('continues as if it had been open all the time', () => {
		const {store, taken, painter} = resumed(answer(1));
		taken();
		const record = {v: 1, seq: 4, at: '', session: 's2', server: 'local'} as const;
		store.getState().applyRecords([{...record, event: user('On', 'u9')}]);
		painter.advance();
		expect(taken()).toEqual(['', '❯ On']);
	});
});

test('a new session starts below the previous one', () => {
	const {feed, open, taken} = canvas();
	feed(start, user('Go'), say('Half an answer'));
	taken();
	open('s2');
	feed(start, user('New'));
	expect(taken()).toEqual(['', '❯ New']);
});

test('a session forked from this one is not written again; a later one is', async () => {
	const {store, feed, painter, open, taken, recorded} = canvas();
	feed(start, user('Go'), say('Hello.'), end);
	taken();
	await painter.keepScreen(async () => open('s2'));
	expect(taken()).toEqual([]);
	store.getState().applyRecords(recorded([start, user('Anew')]));
	painter.advance();
	expect(taken()).toEqual(['', '❯ Anew']);
	const failing = painter.keepScreen(() => Promise.reject(new Error('unreadable')));
	await expect(failing).rejects.toThrow('unreadable');
	const records = recorded([start, user('Other')]).map((record, seq) => ({...record, session: 's3', seq}));
	store.getState().openTranscript(records.reduce(reduceTranscript, emptyTranscript('s3')));
	painter.advance();
	expect(taken()).toEqual(['', '❯ Other']);
});
