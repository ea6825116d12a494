import fc from 'fast-check';
import {expect, test} from 'vitest';
import {addToHistory} from '../../src/store/prompt-history.ts';

test('a prompt is added behind the others', () => {
	expect(addToHistory(['a'], ' b\nc ')).toEqual(['a', 'b\nc']);
});

test('blank prompts and the same one twice in a row are not added', () => {
	expect(addToHistory(['a'], ' \n')).toEqual(['a']);
	expect(addToHistory(['a'], 'a')).toEqual(['a']);
	expect(addToHistory(['a', 'b'], 'a')).toEqual(['a', 'b', 'a']);
});

test('the oldest ones give way', () => {
	expect(addToHistory(['a', 'b', 'c'], 'd', 3)).toEqual(['b', 'c', 'd']);
});

test.each([
	['/keys set anthropic KEY-1', '/keys set anthropic'],
	['  /KEYS   Set\tOpenAI   KEY-1 ', '/keys set openai'],
	['/key set groq "KEY-1"', '/keys set groq'],
	['/ keys set openai KEY-1', '/keys set openai'],
	['/keys\nset\nopenai\nKEY-1', '/keys set openai'],
	['/keys set\u00a0openai\u00a0KEY-1', '/keys set openai'],
	['/keys set custom --base-url http://127.0.0.1:1/v1 KEY-1', '/keys set custom'],
	['/keys set --base-url=http://127.0.0.1:1/v1 custom KEY-1', '/keys set custom'],
	['/keys set KEY-1', '/keys set'],
	['/keys set openai=KEY-1', '/keys set'],
	['service keys set openai KEY-1', '/keys set openai'],
	['/login KEY-1', '/login'],
	['/login --server https://app.example.com KEY-1', '/login'],
	['/login KEY-1 --server https://app.example.com', '/login'],
	['/Login  --api-key=KEY-1', '/login'],
	['/signin KEY-1', '/login'],
	['service login KEY-1', '/login'],
	['/mfa verify KEY-1', '/mfa verify'],
])('of %j nothing but the command is kept [11]', (line, kept) => {
	expect(addToHistory([], line)).toEqual([kept]);
});

test('a secret among other lines is kept out too, and so is one in a misspelt command [11]', () => {
	expect(addToHistory([], 'look:\n/login KEY-1\ndone')).toEqual(['look:\n/login\ndone']);
	expect(addToHistory([], '/kyes set openai sk-proj-abcdefghijklmnop')).toEqual([]);
});

test.each([
	'/keys set anthropic',
	'/keys list',
	'/keys remove openai',
	'/login',
	'/login --server https://app.example.com --profile work',
	'/logout',
	'/loginx y',
	'keys set in stone are hard to move',
	'What does /login KEY do?',
	'login fails with a 401',
])('%j is kept as it is', line => {
	expect(addToHistory([], line)).toEqual([line]);
});

test('however a key command is spaced and cased, the key is not kept [11]', () => {
	const space = fc.stringMatching(/^[ \t\n]{1,3}$/);
	const anyCase = (word: string) =>
		fc.constantFrom(word, word.toUpperCase(), `${word[0]?.toUpperCase()}${word.slice(1)}`);
	const command = fc.tuple(
		anyCase('keys'),
		space,
		anyCase('set'),
		space,
		fc.constantFrom('openai', 'Custom', 'google'),
		space,
	);
	fc.assert(
		fc.property(
			fc.constantFrom('/', ' /', '/ '),
			command,
			fc.stringMatching(/^[\w+./-]{6,30}$/),
			(slash, words, key) => {
				const secret = `Zq${key}`;
				expect(addToHistory([], `${slash}${words.join('')}${secret}`).join('')).not.toContain(secret);
			},
		),
	);
});
