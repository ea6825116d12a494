import {format, inspect} from 'node:util';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {keychainSecret, type Secret, secret} from '../../../src/core/secrets/secret.ts';

const value = 'sk-live-0123456789abcdef';

const ways: ReadonlyArray<readonly [name: string, show: (hidden: Secret) => string]> = [
	['String', hidden => String(hidden)],
	['a template', hidden => `${hidden}`],
	['concatenation', hidden => `${''.concat(hidden.toString())}`],
	['an array', hidden => [hidden].join(', ')],
	['JSON', hidden => JSON.stringify({hidden, list: [hidden]})],
	['JSON of a spread', hidden => JSON.stringify({...hidden})],
	['inspect', hidden => inspect(hidden)],
	['inspect of an object that holds it', hidden => inspect({deep: {hidden}}, {depth: 9, showHidden: true})],
	['inspect of a spread', hidden => inspect({...hidden}, {showHidden: true, depth: 9})],
	['inspect without customs', hidden => inspect(hidden, {customInspect: false, showHidden: true, depth: 9})],
	['util.format', hidden => format('%s %o %O %j %d', hidden, hidden, hidden, hidden, hidden)],
	['entries', hidden => inspect(Object.entries(hidden))],
	['all own keys', hidden => inspect(Object.getOwnPropertyDescriptors(hidden), {depth: 9})],
	['an error', hidden => inspect(new Error(`Refused ${hidden}`, {cause: hidden}))],
	['a search parameter', hidden => new URLSearchParams({key: `${hidden}`}).toString()],
];

test.each(ways)('%s shows no part of a secret but its end [8]', (_name, show) => {
	expect(show(secret(value))).not.toContain(value.slice(0, -4));
});

test('a secret cannot be cloned to another thread [8]', () => {
	expect(() => structuredClone(secret(value))).toThrow(/could not be cloned/);
});

test('a secret cannot be changed, and reveals itself when asked', () => {
	const hidden = secret(value);
	expect(Object.isFrozen(hidden)).toBe(true);
	expect(hidden.reveal()).toBe(value);
	expect([hidden.equals(secret(value)), hidden.equals(secret(`${value}!`))]).toEqual([true, false]);
});

test('at most a third of a secret is shown at its end, and nothing of a short one [8]', () => {
	fc.assert(
		fc.property(fc.string({maxLength: 40}), text => {
			const {last4} = secret(text);
			expect(last4).toBe(text.length < 12 ? '' : text.slice(-4));
			expect(last4.length * 3).toBeLessThanOrEqual(text.length);
		}),
	);
});

test("a secret in the keychain shows as little, and can't be used before it is opened [8]", () => {
	const hidden = keychainSecret('profile/work', 'cdef');
	expect([String(hidden), JSON.stringify({hidden}), inspect({hidden})]).toEqual([
		'***',
		'{"hidden":"***"}',
		'{ hidden: *** }',
	]);
	expect(() => hidden.reveal()).toThrow('before it was opened');
	expect([hidden.equals(keychainSecret('profile/work', '')), hidden.equals(secret(value))]).toEqual([true, false]);
});
