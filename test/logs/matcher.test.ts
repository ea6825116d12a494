import {expect, test} from 'vitest';
import {createMatcher, maxMatched} from '../../src/logs/matcher.ts';

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

test('an expression on a busy machine is not too slow: only its processor time counts', () => {
	// Backtracks for about a second, and for days.
	const [hard, endless] = ['a'.repeat(25), 'a'.repeat(60)];
	const idle = createMatcher('^(a+)+!$', () => 0);
	expect(idle.match(['x', hard, 'aa!'])).toEqual([false, false, true]);
	expect(idle.ranges('aa!')).toEqual([[0, 3]]);
	expect(() => createMatcher('^(a+)+!$').match([endless])).toThrow('takes too long');
});
