import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {paint, parseSgr} from '../../../src/terminal/text/sgr.ts';
import {anyText} from '../../any-text.ts';

describe('parseSgr', () => {
	test('reads colours and attributes until they are switched off', () => {
		expect(parseSgr('a\u001B[1;31mb\u001B[22mc\u001B[0md')).toEqual([
			{text: 'a', style: {}},
			{text: 'b', style: {bold: true, color: 1}},
			{text: 'c', style: {color: 1}},
			{text: 'd', style: {}},
		]);
	});

	test.each([
		['bright red', '91', {color: 9}],
		['a bright background', '104', {background: 12}],
		['one of 256', '38;5;196', {color: 9}],
		['a low one of 256', '48;5;3', {background: 3}],
		['a grey of 256', '38;5;240', {color: 8}],
		['true colour', '38;2;0;255;0', {color: 10}],
		['true colour with colons', '38:2::0:0:120', {color: 4}],
		['true colour with colons and no colour space', '38:2:0:0:120', {color: 4}],
		['a colour and what follows it', '38;5;2;4', {color: 2, underline: true}],
		['nothing it knows', '5;8;73', {}],
		['an empty reset', '', {}],
	])('maps %s to the 16 colours', (_, codes, style) => {
		expect(parseSgr(`\u001B[${codes}mx`)).toEqual([{text: 'x', style}]);
	});

	test('[2] shows every other sequence', () => {
		expect(parseSgr('\u001B[2J\u001B]8;;http://x\u0007\u001B[?25l\u009B31m')).toEqual([
			{text: '␛[2J␛]8;;http://x␇␛[?25l⟨U+009B⟩31m', style: {}},
		]);
	});

	test('[2] keeps the text on both sides of a colour change apart', () => {
		const text = parseSgr('\u001B\u001B[31m[2J\r\u001B[0m\n\uD83D\u001B[1m\uDE00')
			.map(span => span.text)
			.join('');
		expect(text).toBe('␛[2J␍\n⟨U+D83D⟩⟨U+DE00⟩');
	});

	test('[21] reads a sequence of absurd length as text', () => {
		expect(parseSgr(`\u001B[${'1;'.repeat(500)}mx`)).toEqual([{text: `␛[${'1;'.repeat(500)}mx`, style: {}}]);
	});
});

describe('paint', () => {
	test('draws with our own sequences and ends each line without a style', () => {
		expect(paint(parseSgr('\u001B[31;44mred\nmore\u001B[m plain'), {color: true})).toBe(
			'\u001B[31;44mred\u001B[0m\n\u001B[31;44mmore\u001B[0m plain',
		);
	});

	test('never draws text in the colour of its background', () => {
		expect(paint([{text: 'x', style: {color: 1, background: 1}}], {color: true})).toBe('\u001B[31mx\u001B[0m');
	});

	test('draws colour 0 and bright colours', () => {
		expect(paint([{text: 'x', style: {color: 0, background: 15}}], {color: true})).toBe('\u001B[30;107mx\u001B[0m');
	});

	test('[1] writes no escape other than ours, and none without colour', () => {
		const part = fc.oneof(
			anyText(),
			fc.constantFrom('\u001B[', '\u001B[31m', '\u001B[0m', '\u001B', 'm', '[', '\u009B1m', '\u001B[38;5;', '\n', '\r'),
		);
		fc.assert(
			fc.property(fc.array(part, {maxLength: 20}), parts => {
				const spans = parseSgr(parts.join(''));
				const drawn = paint(spans, {color: true});
				expect(drawn.replace(/\u001B\[\d[\d;]*m/g, '')).not.toMatch(/[\0-\u0008\u000B-\u001F\u007F-\u009F]/);
				expect(paint(spans, {color: false})).not.toContain('\u001B');
				for (const line of drawn.split('\n')) {
					expect(line.lastIndexOf('\u001B')).toBe(line.lastIndexOf('\u001B[0m'));
				}
			}),
		);
	});
});
