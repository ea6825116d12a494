import {expect, test} from 'vitest';
import {hyperlink, paintPieces, parsePieces, plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const {strong, emphasis} = createPalette({color: true});
const line = `a${strong(`b${emphasis('c')}d`)}${hyperlink('e', 'https://example.com/')}`;

test('a line is split into pieces of one style', () => {
	expect(parsePieces(line)).toEqual([
		{text: 'a', sgr: '', link: ''},
		{text: 'b', sgr: '\u001B[1m', link: ''},
		{text: 'c', sgr: '\u001B[1m\u001B[3m', link: ''},
		{text: 'd', sgr: '\u001B[1m', link: ''},
		{text: 'e', sgr: '', link: 'https://example.com/'},
	]);
});

test('joined pieces give the same line', () => {
	expect(parsePieces(paintPieces(parsePieces(line)))).toEqual(parsePieces(line));
	expect(plainText(line)).toBe('abcde');
});
