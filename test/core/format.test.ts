import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	formatAge,
	formatAmount,
	formatBytes,
	formatClock,
	formatCount,
	formatDuration,
	formatMeasure,
	formatRemaining,
	formatUsd,
} from '../../src/core/format.ts';

test.each([
	[0, '0'],
	[999, '999'],
	[999.4, '999'],
	[999.5, '1.0k'],
	[1000, '1.0k'],
	[1300, '1.3k'],
	[9949, '9.9k'],
	[9950, '10k'],
	[12_345, '12k'],
	[999_499, '999k'],
	[999_500, '1.0M'],
	[1_200_000, '1.2M'],
	[999_950_000, '1.0G'],
	[Number.NaN, '?'],
	[-1, '?'],
])('the count %d is %s', (count, text) => {
	expect(formatCount(count)).toBe(text);
});

test('a count takes at most four characters', () => {
	fc.assert(
		fc.property(fc.nat({max: 999_000_000}), fc.integer({min: 0, max: 3}), (count, power) => {
			expect(formatCount(Math.min(count * 10 ** power, 999e9)).length).toBeLessThanOrEqual(4);
		}),
	);
});

test.each([
	[null, 'unknown'],
	[0, '$0.00'],
	[0.000_000_1, '<$0.0001'],
	[0.0001, '$0.0001'],
	[0.0043, '$0.0043'],
	[0.00994, '$0.0099'],
	[0.00995, '$0.010'],
	[0.123_4, '$0.123'],
	[0.994, '$0.994'],
	[0.995, '$0.99'],
	[1, '$1.00'],
	[1234.5, '$1234.50'],
	[Number.NaN, 'unknown'],
	[Number.POSITIVE_INFINITY, 'unknown'],
	[-0.5, 'unknown'],
])('the cost %d is %s', (usd, text) => {
	expect(formatUsd(usd)).toBe(text);
});

test('a positive cost never reads as $0.00 or any other zero', () => {
	fc.assert(
		fc.property(fc.double({min: 0, minExcluded: true, max: 1e9, noNaN: true}), usd => {
			expect(formatUsd(usd)).toMatch(/[1-9]/);
		}),
	);
});

test.each([
	[0, '0 ms'],
	[400, '400 ms'],
	[999.4, '999 ms'],
	[999.6, '1.0 s'],
	[1000, '1.0 s'],
	[9949, '9.9 s'],
	[9950, '10 s'],
	[59_499, '59 s'],
	[59_500, '1 m 00 s'],
	[184_000, '3 m 04 s'],
	[3_599_600, '1 h 00 m'],
	[7_500_000, '2 h 05 m'],
	[-5, '0 ms'],
	[Number.NaN, '0 ms'],
])('%d milliseconds are %s', (milliseconds, text) => {
	expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
	[0, '0 B'],
	[312, '312 B'],
	[2100, '2.1 kB'],
	[14_000_000, '14 MB'],
])('%d bytes are %s', (bytes, text) => {
	expect(formatBytes(bytes)).toBe(text);
});

test.each([
	[0, '0'],
	[-0, '0'],
	[0.91349, '0.913'],
	[0.001, '0.001'],
	[0.00099, '9.90e-4'],
	[12.5, '12.5'],
	[-1234.5678, '-1,234.568'],
	[999_999, '999,999'],
	[1_000_000, '1.00e+6'],
	[1e308, '1.00e+308'],
	[5e-324, '4.94e-324'],
	[Number.NaN, '?'],
	[Number.NEGATIVE_INFINITY, '?'],
])('the measurement %d is shown as %s', (value, text) => {
	expect(formatMeasure(value)).toBe(text);
});

const now = Date.parse('2026-03-31T12:00:00Z');

test.each([
	['2026-03-31T12:00:00Z', 'now'],
	['2026-03-31T11:59:01Z', 'now'],
	['2026-03-31T11:59:00Z', '1 min ago'],
	['2026-03-31T11:00:01Z', '59 min ago'],
	['2026-03-31T11:00:00Z', '1 h ago'],
	['2026-03-30T12:00:01Z', '23 h ago'],
	['2026-03-30T12:00:00Z', '1 d ago'],
	['2026-03-17T12:00:01Z', '13 d ago'],
	['2026-03-17T12:00:00Z', '2026-03-17'],
	['2026-03-31T12:00:59Z', 'now'],
	['2026-03-31T12:05:00Z', 'in 5 min'],
	['2026-03-31T15:30:00Z', 'in 3 h'],
	['2026-04-02T12:00:00Z', 'in 2 d'],
	['2030-01-01T00:00:00Z', '2030-01-01'],
	['yesterday', ''],
	['', ''],
])('%s is formatted as “%s”', (at, text) => {
	expect(formatAge(at, now)).toBe(text);
});

test.each([
	[0, '0 lines'],
	[1, '1 line'],
	[1234, '1,234 lines'],
])('%d of something are %s', (count, text) => {
	expect(formatAmount(count, 'line')).toBe(text);
});

test.each([
	[new Date(2026, 2, 31, 4, 5, 6).getTime(), '04:05:06'],
	[new Date(2026, 2, 31, 23, 59, 59, 999).getTime(), '23:59:59'],
])('a time of day has seconds', (at, text) => {
	expect(formatClock(at)).toBe(text);
});

test.each([
	[3_599_400, '1 h 00 m'],
	[3_540_000, '59 min'],
	[301_000, '5 min'],
	[300_000, '5 m 00 s'],
	[9400, '9 s'],
])('of a time of %d ms that runs out, seconds count only at the end: %s', (milliseconds, text) => {
	expect(formatRemaining(milliseconds)).toBe(text);
});
