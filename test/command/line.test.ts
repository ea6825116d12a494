import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {commandWords, isCommandLine, withoutSecret} from '../../src/command/line.ts';
import {entries} from './entries.ts';

test.each(['/', '/help', '  /help', '/keys set x', '/?', '/keys-help', '/HELP', '/help\nmore'])(
	'%j is a command',
	text => {
		expect(isCommandLine(text)).toBe(true);
	},
);

test.each(['', 'help', '/usr/bin', '/usr/bin is where?', '//', '/ help', '/1', '/etc.d', 'see /help', '/*'])(
	'%j is a message',
	text => {
		expect(isCommandLine(text)).toBe(false);
	},
);

test('the words of a line are read without its slash', () => {
	expect(commandWords(' /note "a b" c ')).toEqual(['note', 'a b', 'c']);
});

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
])('%j is kept as %j [11]', (line, kept) => {
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
])('%j has no secret and stays as it is', line => {
	expect(withoutSecret(entries, line)).toBe(line);
});

test('wherever a secret stands among other words, it does not stay [11]', () => {
	const word = fc.constantFrom('ada', '--base-url', '--base-url=x', '--secret', '--server', '--json', '--', '"', '-x');
	fc.assert(
		fc.property(fc.array(word, {maxLength: 4}), fc.array(word, {maxLength: 3}), (before, after) => {
			const line = `/vault set ada ${before.join(' ')} ${secret} ${after.join(' ')}`;
			expect(withoutSecret(entries, line)).not.toContain(secret);
		}),
	);
});
