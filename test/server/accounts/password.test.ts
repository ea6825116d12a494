import {expect, test} from 'vitest';
import {hashPassword, verifyPassword} from '../../../src/server/accounts/password.ts';

// RFC 7914 section 12: scrypt('pleaseletmein', 'SodiumChloride', N=16384, r=8, p=1), its first 32 bytes.
const vector = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
const [salt, hash] = [Buffer.from('SodiumChloride'), vector].map(bytes => bytes.toString('base64url'));
const cheap = `scrypt$16384$8$1$${salt}$${hash}`;

test('[26] a password is stored as a salted hash with its cost, never the same twice', async () => {
	const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
	expect(first).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
	expect(first).not.toBe(second);
	expect(await Promise.all([first, second].map(stored => verifyPassword('correct horse', stored)))).toEqual([
		true,
		true,
	]);
});

test.each(['', 'pleaseletmei', 'Pleaseletmein', 'pleaseletmein ', 'x'.repeat(10_000), 'pleaseletmein\u0000x'])(
	'[26] %j is not the password',
	async other => {
		expect(await verifyPassword(other, cheap)).toBe(false);
	},
);

test('a password is the same however its accents were typed', async () => {
	expect(await verifyPassword('passe\u0301 compose\u0301', await hashPassword('pass\u00e9 compos\u00e9'))).toBe(true);
});

test('a hash with another cost stays good', async () => {
	expect(await verifyPassword('pleaseletmein', cheap)).toBe(true);
});

test.each([null, undefined])('[26] without a password (%s) nothing is right, and it takes as long', async stored => {
	const timed = async (password: string, of: string | null | undefined) => {
		const start = performance.now();
		expect(await verifyPassword(password, of)).toBe(false);
		return performance.now() - start;
	};
	const somebody = await hashPassword('correct horse');
	const real = await timed('wrong', somebody);
	// All zeros are what is compared then; not even they are let in.
	expect(await timed('', stored)).toBeGreaterThan(real / 10);
});

test('a broken stored hash is a bug that is told, not a way in', async () => {
	await expect(verifyPassword('x', 'scrypt$16$8$1$c2FsdA$')).rejects.toThrow('cannot be read');
	await expect(verifyPassword('x', 'plain')).rejects.toThrow('cannot be read');
});
