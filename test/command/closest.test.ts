import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {closest} from '../../src/command/closest.ts';

const known = ['login', 'logout', 'keys', 'model', 'usage', 'q', '?'];

test.each([
	['lgoin', 'login'],
	['logn', 'login'],
	['logimn', 'login'],
	['mod', 'model'],
	['key', 'keys'],
	['modle', 'model'],
	['usgae', 'usage'],
])('%s means %s', (word, meant) => {
	expect(closest(word, known)).toBe(meant);
});

test.each(['', 'zzz', 'deploy', 'x', '/', 'loginloginlogin'])('%j has no close match', word => {
	expect(closest(word, known)).toBeUndefined();
});

test('a known word matches itself, and matches with one letter too many', () => {
	const word = fc.stringMatching(/^[a-z]{4,10}$/);
	fc.assert(
		fc.property(word, fc.nat({max: 10}), (name, at) => {
			expect(closest(name, [name])).toBe(name);
			expect(closest(`${name.slice(0, at)}#${name.slice(at)}`, [name])).toBe(name);
		}),
	);
});
