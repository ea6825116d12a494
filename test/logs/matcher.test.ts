import {expect, test} from 'vitest';
import {createMatcher, maxMatched} from '../../src/logs/matcher.ts';
import {cpuMs} from '../growth.ts';

test.each([
	[
		'GET',
		'GET /, then get it; GET',
		[
			[0, 3],
			[20, 23],
		],
	],
	[
		'get',
		'GET get',
		[
			[0, 3],
			[4, 7],
		],
	],
	['b*', 'abba', [[1, 3]]],
	['x', 'abc', []],
	['日.', '12日本', [[2, 4]]],
] as const)('the matches of %j in %j are at %j', (source, text, ranges) => {
	expect(createMatcher(source).ranges(text)).toEqual(ranges);
});

test('a text with very many matches returns no more than a frame needs', () => {
	expect(createMatcher('a').ranges('a'.repeat(5000))).toHaveLength(200);
	expect(createMatcher('needle').ranges(`${'x'.repeat(maxMatched)}needle`)).toEqual([]);
});

test('an expression that takes forever shows nothing, delays few frames, and no other expression', () => {
	let looks = 0;
	const slow = createMatcher('(a+)+$', () => {
		looks++;
		return process.cpuUsage().user / 1000;
	});
	const hostile = `${'a'.repeat(5000)}!`;
	expect([1, 2, 3].flatMap(() => slow.ranges(hostile))).toEqual([]);
	const before = looks;
	for (let count = 0; count < 100; count++) {
		expect(slow.ranges(hostile)).toEqual([]);
	}

	// A hundred pictures would wait five seconds for it; none of them begins.
	expect(looks).toBe(before);
	expect(createMatcher('b').ranges('abc')).toEqual([[1, 2]]);
});

/** So many times “a” that a backtracking expression computes about that long to see that no “!” follows. */
function hardFor(milliseconds: number): string {
	for (let count = 16; ; count++) {
		const cost = cpuMs(() => /^(a+)+!$/.test('a'.repeat(count)));
		if (cost > 10) {
			// Each more takes twice as long.
			return 'a'.repeat(count + Math.ceil(Math.log2(milliseconds / cost)));
		}
	}
}

test('an expression on a busy machine is not too slow: only its processor time counts', () => {
	const text = hardFor(300);
	const idle = createMatcher('^(a+)+!$', () => 0);
	expect(idle.match(['x', text, 'aa!'])).toEqual([false, false, true]);
	expect(idle.ranges('aa!')).toEqual([[0, 3]]);
	expect(() => createMatcher('^(a+)+!$').match([text.repeat(2)])).toThrow('takes too long');
});
