import {expect, test} from 'vitest';
import {createRecoveryCodes, hashRecoveryCode} from '../../../src/server/accounts/second-factor.ts';

test('it creates ten different codes', () => {
	const codes = createRecoveryCodes();
	expect(codes).toHaveLength(10);
	expect(new Set(codes).size).toBe(10);
	expect(codes.filter(code => !/^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){3}$/.test(code))).toEqual([]);
	// The contract accepts codes of at most 64 characters.
	expect(codes.every(code => code.length <= 64)).toBe(true);
});

test('a code matches in capitals, without dashes and with spaces', () => {
	const [code = ''] = createRecoveryCodes();
	const hash = hashRecoveryCode(code);
	const typed = [code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `];
	expect(typed.map(hashRecoveryCode)).toEqual([hash, hash, hash]);
	expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
	'',
	'123456',
	'aaaa-aaaa-aaaa-aaa',
	'aaaa-aaaa-aaaa-aaaaa',
	'aaaa-aaaa-aaaa-aaa0',
	'aaaa-aaaa-aaaa-aaal',
	'%',
])('%j cannot be a recovery code', typed => {
	expect(hashRecoveryCode(typed)).toBeUndefined();
});
