import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {LogAnswer} from '../../src/contract/log-cursor.ts';
import {readAnswer, startReading} from '../../src/logs/read-answer.ts';
import {runSteps} from '../../src/logs/slices.ts';

/** A log that is read answer by answer. */
function reading() {
	let state = startReading(false);
	return {
		take(answer: LogAnswer) {
			const step = runSteps(readAnswer(state, answer));
			({state} = step);
			return step.delta;
		},
		held: () => state.held,
		isExact: () => state.isExact && state.cursor.after !== undefined,
	};
}

const characters = fc.constantFrom('a', 'ü', '語', '🙂', '\n', '\n', '\r', '\u0000', '\uFFFD');

test('a log read by offsets is whole, whatever pieces arrive', () => {
	fc.assert(
		fc.property(fc.array(fc.array(characters, {maxLength: 20}), {maxLength: 20}), fc.boolean(), (pieces, hasStart) => {
			const log = reading();
			const told: string[] = [];
			let offset = 0;
			for (const piece of pieces) {
				const text = piece.join('');
				const start = offset;
				offset += Buffer.byteLength(text);
				const answer = {kind: 'window' as const, text, offset, ...(hasStart && {start})};
				const {mark, before, lines} = log.take(answer);
				log.take({kind: 'unchanged'});
				expect([mark, before]).toEqual([undefined, []]);
				told.push(...lines);
			}

			const whole = pieces.flat().join('');
			expect([...told, log.held()].join('\n')).toBe(whole);
			expect(log.isExact()).toBe(pieces.length > 0);
		}),
	);
});

test('a line without an end is released in pieces', () => {
	const log = reading();
	const half = 'x'.repeat(9 * 1024 * 1024);
	const take = (text: string, offset: number) => log.take({kind: 'window', text, offset});
	expect(take(half, half.length).lines).toEqual([]);
	expect(take(half, 2 * half.length).lines.map(line => line.length)).toEqual([2 * half.length]);
	expect(log.held()).toBe('');
});

/** Whole lines of a log from one number to another. */
const lines = (from: number, to: number) =>
	Array.from({length: to - from}, (_, index) => `line ${from + index}\n`).join('');

/** What each of these windows is marked with. */
function marksOf(windows: readonly string[]) {
	const log = reading();
	return windows.map(text => log.take({kind: 'window', text}).mark);
}

test('a full window after a gap is no restart, even if it has fewer bytes or lines', () => {
	const short = lines(0, 60).replaceAll('line ', '');
	expect(marksOf([lines(1000, 1060), short])).toEqual([undefined, 'gap']);
	expect(marksOf([lines(0, 60), lines(20, 78), lines(40, 102), lines(500, 558)])).toEqual([
		undefined,
		undefined,
		undefined,
		'gap',
	]);
});

test('a window with fewer lines than the server ever cut a log to is a restart, even while the log is whole', () => {
	expect(marksOf([lines(0, 60), lines(20, 78), lines(500, 557)])).toEqual([undefined, undefined, 'restarted']);
	expect(marksOf([lines(0, 1), lines(0, 60), lines(100, 120)])).toEqual([undefined, undefined, 'restarted']);
});
