import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {promptToKeep, withoutSecret} from '../../src/command/secret-line.ts';
import {entries} from './entries.ts';

const secret = 'sk-0123456789';

test.each([
	[`/vault set ada ${secret}`, '/vault set ada ***'],
	[`/vault set ada "${secret}"`, '/vault set ada ***'],
	[`/vault set --base-url http://a ada ${secret}`, '/vault set ada ***'],
	[`/vault set ada --base-url=http://a ${secret}`, '/vault set ada ***'],
	[`/vault set ada --secret ${secret}`, '/vault set ada ***'],
	[`/vault set ada --secret=${secret}`, '/vault set ada ***'],
	[`/vault set ada --base-url ${secret}`, '/vault set ada'],
	[`/vault set ada --base-url --json ${secret}`, '/vault set ada'],
	[`/vault set ada -- ${secret}`, '/vault set ada ***'],
	[`/enter ${secret}`, '/enter ***'],
	[`/enter --server http://a ${secret} --json`, '/enter ***'],
	[`/enter "${secret}`, '/enter ***'],
	[`/entre ${secret}`, '/entre ***'],
	[`/vault sset ada ${secret}`, '/vault ***'],
	[`/vault set ada ${secret} too many`, '/vault set ***'],
	[`/vault set ada ${secret} --unknown`, '/vault set ***'],
	[`/vault set "${secret}`, '/vault set ***'],
	[`/vault   ${secret}`, '/vault ***'],
	[`/store set ${secret.length} ${secret}`, '/store set 13 ***'],
	[`/note --env API_TOKEN=${secret}`, '/note --env API_TOKEN=***'],
	[`/note --header "X-Api-Key: ${secret}"`, '/note --header "X-Api-Key: ***"'],
])('the prompt history keeps %j as %j [11]', (line, kept) => {
	expect(withoutSecret(entries, line)).toBe(kept);
});

test.each([
	'/vault set ada',
	'/vault list',
	'/vault set',
	'/vault',
	'/vaults',
	'/enter',
	'/greet Ada --twice',
	'/note "open',
	'/zzz abc',
])('%j has no secret and is kept unchanged', line => {
	expect(withoutSecret(entries, line)).toBe(line);
});

test('a secret is removed at any place in a line [11]', () => {
	const word = fc.constantFrom('ada', '--base-url', '--base-url=x', '--secret', '--server', '--json', '--', '"', '-x');
	fc.assert(
		fc.property(fc.array(word, {maxLength: 4}), fc.array(word, {maxLength: 3}), (before, after) => {
			const line = `/vault set ada ${before.join(' ')} ${secret} ${after.join(' ')}`;
			expect(withoutSecret(entries, line)).not.toContain(secret);
		}),
	);
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
	['/loginx KEY-1', '/loginx'],
	['/mfa verify KEY-1', '/mfa verify'],
	['/keys --profile x set openai KEY-1', '/keys set openai'],
	['/keys set openai KEY-1 --profile x', '/keys set openai'],
	['service --profile x login KEY-1', '/login'],
])('only the command of %j is kept [11]', (line, kept) => {
	expect(promptToKeep(commands, line)).toBe(kept);
});

test('a secret is removed from any line and from a misspelt command [11]', () => {
	expect(promptToKeep(commands, 'look:\n/login KEY-1\ndone')).toBe('look:\n/login\ndone');
	expect(promptToKeep(commands, '/kyes set openai sk-proj-abcdefghijklmnop')).toBe('');
});

test.each([
	'/keys set anthropic',
	'/keys list',
	'/keys remove openai',
	'/login',
	'/login --server https://app.example.com --profile work',
	'/logout',
	'keys set in stone are hard to move',
	'What does /login KEY do?',
	'login fails with a 401',
])('%j is kept unchanged', line => {
	expect(promptToKeep(commands, line)).toBe(line);
});

test('the key is removed for any spacing and case of a key command [11]', () => {
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
				expect(promptToKeep(commands, `${slash}${words.join('')}${secret}`)).not.toContain(secret);
			},
		),
	);
});
