import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createReading} from '../../src/logs/reading.ts';
import {runSteps} from '../../src/logs/slices.ts';

const characters = fc.constantFrom('a', 'ü', '語', '🙂', '\n', '\n', '\r', '\u0000', '\uFFFD');

test('by offsets a log is told whole, whatever pieces come and however often nothing does', () => {
	fc.assert(
		fc.property(fc.array(fc.array(characters, {maxLength: 20}), {maxLength: 20}), fc.boolean(), (pieces, hasStart) => {
			const reading = createReading();
			const told: string[] = [];
			let offset = 0;
			for (const piece of pieces) {
				const text = piece.join('');
				const start = offset;
				offset += Buffer.byteLength(text);
				const answer = {kind: 'window' as const, text, offset, ...(hasStart && {start})};
				const {mark, before, lines} = runSteps(reading.take(answer));
				runSteps(reading.take({kind: 'unchanged'}));
				expect([mark, before]).toEqual([undefined, []]);
				told.push(...lines);
			}

			const log = pieces.flat().join('');
			expect([...told, reading.held()].join('\n')).toBe(log);
			expect(reading.isComplete()).toBe(pieces.length > 0);
		}),
	);
});

test('a line that has no end is given out in pieces, not kept for ever', () => {
	const reading = createReading();
	const half = 'x'.repeat(9 * 1024 * 1024);
	const take = (text: string, offset: number) => runSteps(reading.take({kind: 'window', text, offset}));
	expect(take(half, half.length).lines).toEqual([]);
	expect(take(half, 2 * half.length).lines.map(line => line.length)).toEqual([2 * half.length]);
	expect(reading.held()).toBe('');
});
