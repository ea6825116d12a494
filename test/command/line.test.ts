import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readLine} from '../../src/command/line.ts';
import {isCommandLine} from '../../src/command/line-kind.ts';

test.each([
	...['/', '/help', '/keys set x', '/?', '/keys-help', '/HELP', '/help\nmore'],
	...[
		'/q!',
		'/wq!',
		'/:q',
		'/quit;',
		'/model?',
		'/exit()',
		'/résumé',
		'/-q',
		':q',
		':wq',
		':q!',
		'\\q',
		'quit',
		'exit ',
	],
])('%j is a command', text => {
	expect(isCommandLine(text)).toBe(true);
});

test.each([
	'',
	'help',
	'  /help',
	' /',
	'/usr/bin',
	'/usr/bin is where?',
	'//',
	'/ help',
	'/1',
	'/etc.d',
	'/.env',
	'/usr/bin/x fails',
	'/^foo/ matches',
	'// a comment',
	'/* a comment */',
	':)',
	':smile: and more',
	':q quits',
	'exit codes?',
	'quit\nthat',
	'see /help',
	'/*',
])('%j is a message', text => {
	expect(isCommandLine(text)).toBe(false);
});

test('a line is split without its slash', () => {
	expect(readLine(' /note "a b" c ', []).rest).toEqual(['note', 'a b', 'c']);
});

test('a slash and a word are a command whatever signs stand around it, a path is a message', () => {
	const signs = fc.stringMatching(/^[!:;,?+#@~=()-]{0,3}$/);
	const word = fc.stringMatching(/^[A-Za-zé一-二]{1,10}$/);
	const rest = fc.stringMatching(/^(?: [^\r\n]{0,20})?$/);
	fc.assert(
		fc.property(signs, word, signs, rest, (before, name, after, behind) => {
			expect(isCommandLine(`/${before}${name}${after}${behind}`)).toBe(true);
			expect(isCommandLine(`/${name}/${before}${after}${behind}`)).toBe(false);
			expect(isCommandLine(`/${name}.${name}${behind}`)).toBe(false);
			expect(isCommandLine(` /${name}${behind}`)).toBe(false);
		}),
	);
});
