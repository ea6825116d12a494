import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, onTestFinished, test} from 'vitest';
import {defaultCellWidths, readCellWidths, setCellWidths} from '../../../src/terminal/text/cell-widths.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {graphemesOf, lineWidth, padEnd, textWidth, truncate} from '../../../src/terminal/text/width.ts';

const {strong, link} = createPalette({color: true});
const emoji = ['👩‍👩‍👧', '❤️', '❤', '☎︎', '1️⃣', '1⃣', '☝🏽', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇩🇪', '⛹️‍♀️', '⛹‍♀', '©️', '™', '✅', '⚠️'];
const clusters = ['각', 'का', 'ｶﾞ', 'e\u0301', '한글', 'ᄀᄀ', 'ᄀ각', '漢', '、', 'ﾊ', '─', '…'];

describe('textWidth', () => {
	test('counts the code points of both lower planes as string-width does', () => {
		const different: string[] = [];
		for (let code = 0x20; code < 0x20000; code++) {
			// Ideographs and syllables are alike, and so is what is not assigned; a part of them will do.
			const isAlike = code % 16 !== 0 && ((code > 0x3400 && code < 0xf900) || (code > 0x17000 && code < 0x18d00));
			const isControl = code >= 0x7f && code < 0xa0;
			const text = isAlike || isControl || (code >= 0xd800 && code < 0xe000) ? '' : String.fromCodePoint(code);
			if (code % 16 !== 0 && /\p{Cn}/u.test(text)) {
				continue;
			}

			if (textWidth(text) !== stringWidth(text)) {
				different.push(`U+${code.toString(16)}`);
			}
		}

		expect(different).toEqual([]);
	});

	test.each([...emoji, ...clusters])('counts %s as string-width does', text => {
		expect(textWidth(text)).toBe(stringWidth(text));
	});

	test('counts mixed text as string-width does', () => {
		const part = fc.oneof(fc.constantFrom(...emoji, ...clusters), fc.string({unit: 'grapheme-composite'}));
		fc.assert(
			fc.property(fc.array(part, {maxLength: 10}), parts => {
				// A letter between them keeps the parts from growing together.
				const text = parts.join('x');
				fc.pre(!/\p{Regional_Indicator}/u.test(text.replaceAll('🇩🇪', '')));
				expect(textWidth(text)).toBe(stringWidth(text));
			}),
		);
	});

	test.each([
		['क्षि', 3],
		['क्ष', 2],
		['ក្ក', 2],
		['កម្ពុជា', 5],
		['กำ', 2],
		['ກຳ', 2],
	])('counts each letter of %s, as terminals do', (text, cells) => {
		expect(textWidth(text)).toBe(cells);
	});

	test.each([
		['xterm, which joins nothing', {emoji: 2, family: 6, modified: 4, presented: 1, keycap: 1}, [6, 4, 4, 1, 1, 2, 2]],
		['one that knows no emoji', {emoji: 1, family: 3, modified: 2, presented: 1, keycap: 1}, [3, 2, 2, 1, 1, 2, 1]],
		['one that joins everything', {}, [2, 2, 2, 2, 2, 2, 2]],
		['one that writes two letters as one', {conjunct: 1}, [2, 2, 2, 2, 2, 1, 2]],
	])('counts as measured in %s', (_, found, expected) => {
		onTestFinished(() => setCellWidths(defaultCellWidths));
		setCellWidths(readCellWidths(found));
		expect(['👩‍👩‍👧', '👍🏽', '👩‍💻', '❤️', '1️⃣', 'क्ष', '✅'].map(textWidth)).toEqual(expected);
	});

	test('counts signs, Greek and Cyrillic twice if the terminal does', () => {
		onTestFinished(() => setCellWidths(defaultCellWidths));
		setCellWidths(readCellWidths({ambiguous: 2}));
		expect(['─│', 'αβ', 'да', 'abc', '日本', 'é', '한글 a', '● ok'].map(textWidth)).toEqual([4, 4, 4, 3, 4, 2, 6, 5]);
		expect(truncate('абвгд', 7)).toBe('аб…');
	});

	test('ignores an invalid measurement', () => {
		expect(readCellWidths({emoji: 0, flag: 40, keycap: 'x', family: 2.5})).toEqual(defaultCellWidths);
	});

	test('counts two regional indicators without a flag as the two boxes that terminals draw', () => {
		expect(textWidth('🇽🇽')).toBe(2);
	});

	test('is the sum of its graphemes, even if one has a thousand marks', () => {
		const text = `a${'\u0903'.repeat(1000)}b`;
		expect(graphemesOf(text).join('')).toBe(text);
		expect(graphemesOf(text).reduce((sum, grapheme) => sum + textWidth(grapheme), 0)).toBe(textWidth(text));
	});
});

describe('lines with our own sequences', () => {
	test('are counted without them', () => {
		expect(lineWidth(`${strong('漢字')} ${link('x')}`)).toBe(6);
	});

	test('are cut with their styles closed', () => {
		expect(truncate(`ab${strong('cdef')}gh`, 5)).toBe('ab\u001B[1mcd\u001B[0m…');
		expect(truncate(`ab${strong('cdef')}gh`, 8)).toBe(`ab${strong('cdef')}gh`);
	});

	test('are never cut inside a wide character', () => {
		expect(truncate('漢字漢字', 4)).toBe('漢…');
		expect(truncate('漢字', 1)).toBe('…');
		expect(truncate('漢字', 0)).toBe('');
	});

	test('are never wider than the limit', () => {
		fc.assert(
			fc.property(fc.string({unit: 'grapheme'}), fc.nat(20), (text, width) => {
				expect(lineWidth(truncate(strong(text), width))).toBeLessThanOrEqual(Math.max(0, width));
			}),
		);
	});

	test('are padded with spaces', () => {
		expect(padEnd(strong('漢'), 4)).toBe(`${strong('漢')}  `);
		expect(padEnd('abc', 2)).toBe('abc');
	});
});
