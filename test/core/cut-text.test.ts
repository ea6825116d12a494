import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {cutLine, cutText} from '../../src/core/cut-text.ts';

test.each([
	['abc', 3, 'abc'],
	['abc', 2, 'ab'],
	['a😀b', 2, 'a'],
	['a😀b', 3, 'a😀'],
	['a\uD83D', 2, 'a'],
	['', 0, ''],
])('%j cut to %d is %j', (text, length, cut) => {
	expect(cutText(text, length)).toBe(cut);
});

test('the result is a prefix without half a character, at most one unit shorter', () => {
	fc.assert(
		fc.property(fc.string({unit: 'grapheme'}), fc.nat(20), (text, length) => {
			const cut = cutText(text, length);
			expect(text.startsWith(cut)).toBe(true);
			expect(cut).not.toMatch(/[\uD800-\uDBFF]$/);
			expect(Math.min(length, text.length) - cut.length).toBeLessThanOrEqual(1);
		}),
	);
});

test.each([
	['  a \n\t b  ', 10, 'a b'],
	['abcdef', 6, 'abcdef'],
	['abcdefg', 6, 'abcde…'],
	['abcd😀fgh', 6, 'abcd…'],
	[' \n ', 5, ''],
])('%j becomes one line of at most %i units', (text, length, line) => {
	expect(cutLine(text, length)).toBe(line);
});
