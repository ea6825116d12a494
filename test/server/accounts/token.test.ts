import {inspect} from 'node:util';
import {expect, test} from 'vitest';
import {timingSafeEquals} from '../../../src/core/secrets/timing-safe-equals.ts';
import {createToken, hashToken, kindOfToken} from '../../../src/server/accounts/token.ts';

test.each(['api-key', 'access', 'refresh', 'device', 'session'] as const)('[26] a token shows its kind, %s', kind => {
	const {token, hash} = createToken(kind);
	expect([kindOfToken(token.reveal()), hashToken(token.reveal())]).toEqual([kind, hash]);
	expect(createToken(kind).hash).not.toBe(hash);
});

test('[8] a token is not printed by accident, and its hash contains nothing of it', () => {
	const made = createToken('api-key');
	const value = made.token.reveal();
	expect(inspect(made, {depth: 5}) + JSON.stringify(made)).not.toContain(value.slice(4));
	expect(made.hash).toMatch(/^[0-9a-f]{64}$/);
});

test.each(['', 'svc_', 'svc_short', `sv?_${'a'.repeat(43)}`, `svc_${'a'.repeat(44)}`, `svc_${'a'.repeat(42)}\n`, ' '])(
	'%j is not a token',
	text => {
		expect(kindOfToken(text)).toBeUndefined();
	},
);

test('two texts are compared completely', () => {
	expect([
		timingSafeEquals('abc', 'abc'),
		timingSafeEquals('abc', 'abd'),
		timingSafeEquals('', 'abc'),
		timingSafeEquals('abc', 'abcd'),
	]).toEqual([true, false, false, false]);
});
