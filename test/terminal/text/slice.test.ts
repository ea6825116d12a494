import fc from 'fast-check';
import {expect, test} from 'vitest';
import {hyperlink, plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth, sliceLine} from '../../../src/terminal/text/width.ts';

const {strong, danger} = createPalette({color: true});

test.each([
	['plain text', 'abcdef', 2, 4, 'cd'],
	['text that is shorter', 'abc', 2, 9, 'c'],
	['nothing', 'abc', 3, 9, ''],
	['wide characters', '日本語', 2, 4, '本'],
	['wide characters that both ends cut', '日本語', 1, 5, ' 本 '],
	['a letter with its marks', 'e\u0301x', 0, 1, 'e\u0301'],
	['an emoji of several characters', '👩‍👩‍👧x', 0, 2, '👩‍👩‍👧'],
])('a slice of %s', (_, line, from, to, slice) => {
	expect(sliceLine(line, from, to)).toBe(slice);
});

test('a slice keeps the style and the link of its cells, and closes them', () => {
	const line = `${strong('ab')}${danger('cd')}${hyperlink('ef', 'https://example.com')}`;
	const slice = sliceLine(line, 1, 5);
	expect(plainText(slice)).toBe('bcde');
	expect(slice).toContain('\u001b]8;;https://example.com\u001b\\e\u001b]8;;\u001b\\');
	expect(slice.split('c')[0]).toMatch(/\u001b\[1m.*b.*\u001b\[0m.*\u001b\[31m$/);
});

test('a line that fits is not touched', () => {
	const line = `${strong('a')} ${danger('b')}`;
	expect(sliceLine(line, 0, 3)).toBe(line);
	expect(sliceLine(line, 0)).toBe(line);
});

test('slices are as wide as they were asked for, and together they are the line', () => {
	const part = fc.constantFrom('a', 'ü', '日', '👍🏽', strong('bold'), hyperlink('語 link', 'https://example.com'));
	fc.assert(
		fc.property(fc.array(part, {maxLength: 8}), fc.nat(20), fc.nat(20), (parts, from, length) => {
			const line = parts.join('');
			const width = lineWidth(line);
			const to = from + length;
			expect(lineWidth(sliceLine(line, from, to))).toBe(Math.max(0, Math.min(to, width) - from));
			const [left, right] = [sliceLine(line, 0, from), sliceLine(line, from)];
			expect(lineWidth(left) + lineWidth(right)).toBe(width);
			const cut = plainText(left + right);
			expect(cut === plainText(line) || cut.includes(' ')).toBe(true);
		}),
	);
});
