import fc from 'fast-check';
import {expect, test} from 'vitest';
import {backoff, nextInterval, withJitter} from '../../src/logs/tail.ts';

const chance = fc.double({min: 0, max: 1, noNaN: true, maxExcluded: true});

test('the interval stays between 50 ms and 5 s', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom('lines', 'nothing', 'gap'), {maxLength: 50}), chance, (activities, random) => {
			const last = activities.reduce<number>(nextInterval, 250);
			expect(withJitter(last, random)).toBeGreaterThanOrEqual(45);
			expect(withJitter(last, random)).toBeLessThanOrEqual(5000);
		}),
	);
});

test('a gap halves the interval, lines keep it, silence extends it', () => {
	let interval = 250;
	const intervals = (['gap', 'lines', 'gap', 'gap', 'lines', 'nothing'] as const).map(activity => {
		interval = nextInterval(interval, activity);
		return interval;
	});
	expect(intervals).toEqual([125, 125, 62.5, 50, 50, 75]);
	expect(nextInterval(5000, 'gap')).toBe(125);
});

test.each([
	[1, undefined, 500, 1000],
	[3, undefined, 2000, 4000],
	[100, undefined, 15_000, 30_000],
	[1, 0, 500, 500],
	[100, 2000, 2000, 2000],
	[1, 10 ** 12, 2 ** 31 - 1, 2 ** 31 - 1],
])('attempt %i, when the server asks for %s ms, waits from %i to %i ms', (attempt, retryAfter, least, most) => {
	expect([backoff(attempt, retryAfter, 0), Math.ceil(backoff(attempt, retryAfter, 0.999_999_999))]).toEqual([
		least,
		most,
	]);
});
