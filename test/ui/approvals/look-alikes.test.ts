import {expect, test} from 'vitest';
import {factsOfCommand, lookAlikeIn, spelledOut} from '../../../src/command/approvals/subject-drawing.ts';

test.each([
	['a Cyrillic letter in a Latin word', 'c\u0430t notes.txt', 'c\u0430t'],
	['a word of Cyrillic letters that look Latin', '\u0441\u043E\u0440\u0443 a b', '\u0441\u043E\u0440\u0443'],
	['letters of full width', 'rm \uFF0Drf x', '\uFF0Drf'],
	['letters of mathematics', '\u{1D5CB}\u{1D5C6} x', '\u{1D5CB}\u{1D5C6}'],
	['a slash of another kind', 'cat a\u2215b', 'a\u2215b'],
	['a Greek letter in a file name', 'rm src/\u03BFld.ts', '\u03BFld.ts'],
])('%s is noticed in a command', (_, command, word) => {
	expect(lookAlikeIn(command)).toBe(word);
	const act = {kind: 'command', command, folder: '/a', containment: 'none'} as const;
	expect(factsOfCommand(act, '/a')).toEqual([['Note', `It has letters that look like others: ${spelledOut(word)}`]]);
});

test.each([
	'npm test',
	'git commit -m "Größe café naïve"',
	'echo Привет, мир',
	'cat 文件.txt',
	'grep 日本語 -r .',
	'echo λ',
])('%j is not', command => expect(lookAlikeIn(command)).toBe(undefined));

test('a word is spelled out with the codes of its strange letters', () => {
	expect(spelledOut('c\u0430t')).toBe('c\u0430⟨U+0430⟩t');
});
