import fc from 'fast-check';
import {expect, test} from 'vitest';
import {chancesOf, follow, judge, stepsOf, type View} from './truth.ts';

const views: fc.Arbitrary<View> = fc.record({
	characters: fc.integer({min: 200, max: 4000}),
	cut: fc.constantFrom('line', 'anywhere'),
});

const everything: View = {characters: Number.MAX_SAFE_INTEGER, cut: 'line'};
const unique = (index: number) => `${String(index).padStart(5, '0')} request ${index * 7919} took ${index % 13} ms`;

/** A line from a few that come again and again, but for the share of those that are unique. */
const repeating = (share: number) => (index: number, chance: number) =>
	chance < share ? `GET /health 200 from 10.0.0.${Math.floor((chance / share) * 5)}` : unique(index);

test('every gap is declared and no line is shown twice in 1,000 random logs of distinct lines', () => {
	fc.assert(
		fc.property(stepsOf(unique), views, (steps, view) => {
			expect(judge(follow(steps, view))).toEqual({undeclared: 0, duplicates: 0});
		}),
		{numRuns: 300},
	);
});

test.each([
	['all different', () => unique],
	['90 % repeats', () => repeating(0.9)],
	['99 % repeats', () => repeating(0.99)],
	['all equal', () => () => 'tick'],
])('a log that fits a window is shown whole, with genuine repeats: %s', (_, line) => {
	fc.assert(
		fc.property(stepsOf(line(), {breaks: false}), steps => {
			const {truth, shown} = follow(steps, everything);
			expect(shown.filter(item => typeof item === 'string')).toEqual(truth);
		}),
		{numRuns: 200},
	);
});

test('at 90 % repeats at most one poll in 1,000 declares a false gap, and all lines are shown', () => {
	let polls = 0;
	let falseMarks = 0;
	const line = repeating(0.9);
	const counts = fc.array(fc.nat({max: 40}), {minLength: 50, maxLength: 50});
	fc.assert(
		fc.property(counts, fc.nat(), (sizes, seed) => {
			const chance = chancesOf(seed);
			let index = 0;
			const steps = [200, ...sizes].map(count => ({
				kind: 'append' as const,
				lines: Array.from({length: count}, () => line(index++, chance())),
				partial: '',
			}));
			const {truth, shown} = follow(steps, {characters: 5000, cut: 'anywhere'});
			const [, ...marks] = shown.filter(item => typeof item !== 'string');
			const told = shown.filter(item => typeof item === 'string').slice(1);
			polls += sizes.length;
			falseMarks += marks.length;
			expect(marks.length > 0 || truth.slice(-told.length).join('\n') === told.join('\n')).toBe(true);
		}),
		{numRuns: 60},
	);
	expect(polls).toBe(3000);
	expect(falseMarks / polls).toBeLessThanOrEqual(1 / 1000);
});

test.each([0.9, 0.99, 1])('a real gap at %d of repeats is declared, or its lines are marked as doubtful', share => {
	const line = repeating(share);
	let missed = 0;
	for (let run = 0; run < 180; run++) {
		const chance = chancesOf(run);
		const text = (from: number) => Array.from({length: 130}, (_, index) => line(from + index, chance()));
		const steps = [text(0), text(1000)].map(lines => ({kind: 'append' as const, lines, partial: ''}));
		const [, ...rest] = follow(steps, {characters: 3000, cut: 'line'}).shown;
		missed += rest.some(item => typeof item !== 'string') ? 0 : 1;
	}

	expect(missed).toBe(0);
});
