import {expect, test} from 'vitest';
import {createPalette, syntaxRoles} from '../../../src/terminal/text/style.ts';

const colored = createPalette({color: true});
const plain = createPalette({color: false});

test('an outer role continues after an inner one', () => {
	expect(colored.strong(`a${colored.emphasis('b')}c`)).toBe('\u001B[1ma\u001B[3mb\u001B[0m\u001B[1mc\u001B[0m');
});

test('no style crosses the end of a line', () => {
	expect(colored.danger('a\nb')).toBe('\u001B[31ma\u001B[0m\n\u001B[31mb\u001B[0m');
});

test('only the 16 colours of the terminal are used', () => {
	const all = [...syntaxRoles.map(role => colored.syntax[role]('x')), colored.link('x'), colored.code('x')];
	expect(all.join('')).not.toMatch(/[34]8[;:]/);
});

test('without colour there is no escape, and marks replace styles', () => {
	const {heading, emphasis, strong, strikethrough, code, link, danger} = plain;
	expect([heading('t', 2), emphasis('e'), strong('s'), strikethrough('d'), code('c'), link('l'), danger('x')]).toEqual([
		'## t',
		'*e*',
		'**s**',
		'~~d~~',
		'`c`',
		'l',
		'x',
	]);
	expect(syntaxRoles.map(role => plain.syntax[role]('x'))).toEqual(syntaxRoles.map(() => 'x'));
});
