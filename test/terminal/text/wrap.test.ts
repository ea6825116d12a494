import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {hyperlink, plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {wrapLine} from '../../../src/terminal/text/wrap.ts';
import {expectLinear} from '../../growth.ts';

const {strong, emphasis} = createPalette({color: true});

describe('wrapLine', () => {
	test.each([
		['between words', 'one two three', 8, ['one two', 'three']],
		['a word that just fits', 'abcd efgh', 4, ['abcd', 'efgh']],
		['a long word where the line ends', 'a abcdefghij', 4, ['a', 'abcd', 'efgh', 'ij']],
		['after the rest of a long word', 'abcdef gh', 4, ['abcd', 'ef', 'gh']],
		['beside wide characters', '漢字かな', 5, ['漢字', 'かな']],
		['at LF', 'a\n\nb', 9, ['a', '', 'b']],
		['with the spaces at a break gone', 'abc    def', 5, ['abc', 'def']],
		['with leading spaces kept', '  abc', 9, ['  abc']],
		['nothing', '', 9, ['']],
		['tabs as spaces', 'a\tb', 9, ['a   b']],
	])('breaks %s', (_, text, width, lines) => {
		expect(wrapLine(text, width)).toEqual(lines);
	});

	test('keeps every character of code', () => {
		expect(wrapLine('  a = b   // x', 6, {hard: true})).toEqual(['  a = ', 'b   //', ' x']);
		expect(wrapLine('漢字x', 3, {hard: true})).toEqual(['漢', '字x']);
	});

	test('hangs further lines under the first', () => {
		expect(wrapLine('one two three', 8, {first: '• ', rest: '  '})).toEqual(['• one', '  two', '  three']);
	});

	test('drops an indent that leaves no room', () => {
		expect(wrapLine('abc', 4, {first: '    ', rest: '    '})).toEqual(['abc']);
	});

	test('carries styles over a break and closes them at each end', () => {
		expect(wrapLine(`a ${strong(`b ${emphasis('c')}`)} d`, 3)).toEqual([
			`a ${strong('b')}`,
			`\u001B[1m\u001B[3mc\u001B[0m d`,
		]);
	});

	test('carries a link over a break', () => {
		const url = 'https://example.com/';
		expect(wrapLine(hyperlink('ab cd', url), 3)).toEqual([hyperlink('ab', url), hyperlink('cd', url)]);
	});

	const word = fc.oneof(
		fc.string({unit: 'grapheme', maxLength: 12}),
		fc.constantFrom('👩‍👩‍👧', '漢字かな', 'का'.repeat(9), `a${'\u0903'.repeat(60)}`, ' ', '   ', '\n', '\t'),
	);
	const styled = fc
		.array(
			fc.tuple(
				word,
				fc.constantFrom(strong, emphasis, (text: string) => text),
			),
			{maxLength: 20},
		)
		.map(parts => parts.map(([text, role]) => role(text)).join(' '));

	test('never returns a line that is too wide, nor loses a character except spaces', () => {
		const bare = (text: string) => plainText(text).replace(/\s/g, '');
		fc.assert(
			fc.property(styled, fc.integer({min: 2, max: 30}), fc.boolean(), (text, width, hard) => {
				const lines = wrapLine(text, width, {hard, first: '', rest: '  '});
				expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(width);
				expect(bare(lines.join(''))).toBe(bare(text));
			}),
			{numRuns: 300},
		);
	});

	test('leaves no style open at the end of a line', () => {
		fc.assert(
			fc.property(styled, fc.integer({min: 2, max: 30}), (text, width) => {
				for (const line of wrapLine(text, width)) {
					expect(line.lastIndexOf('\u001B')).toBe(line.lastIndexOf('\u001B[0m'));
				}
			}),
		);
	});

	test('takes linear time in the length of the line', () => {
		expect(wrapLine('x'.repeat(1_000_000), 100)).toHaveLength(10_000);
		expect(wrapLine('漢 '.repeat(300_000), 100)).toHaveLength(9091);
		expectLinear(size => wrapLine('漢 '.repeat(size), 100), 2000);
	});
});
