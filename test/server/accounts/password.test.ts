import {expect, test} from 'vitest';
import {fullCost, hashPassword, isBusyHashing, verifyPassword} from '../../../src/server/accounts/password.ts';
import {cheapCost} from '../harness.ts';

// RFC 7914, section 12: scrypt('pleaseletmein', 'SodiumChloride', N=16384, r=8, p=1), its first 32 bytes.
const vector = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
const [salt, hash] = [Buffer.from('SodiumChloride'), vector].map(bytes => bytes.toString('base64url'));
const cheap = `scrypt$16384$8$1$${salt}$${hash}`;

test('[26] a password is stored as a salted hash with its cost, different each time', async () => {
	const [full, first, second] = await Promise.all([
		hashPassword('correct horse', fullCost),
		hashPassword('correct horse', cheapCost),
		hashPassword('correct horse', cheapCost),
	]);
	expect(full).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
	expect(first).not.toBe(second);
	const stored = [full, first, second];
	expect(await Promise.all(stored.map(hash => verifyPassword('correct horse', hash, fullCost)))).toEqual([
		true,
		true,
		true,
	]);
});

test.each(['', 'pleaseletmei', 'Pleaseletmein', 'pleaseletmein ', 'x'.repeat(10_000), 'pleaseletmein\u0000x'])(
	'[26] %j is not the password',
	async other => {
		expect(await verifyPassword(other, cheap, cheapCost)).toBe(false);
	},
);

test('a password is the same however its accents were typed', async () => {
	expect(
		await verifyPassword(
			'passe\u0301 compose\u0301',
			await hashPassword('pass\u00e9 compos\u00e9', cheapCost),
			cheapCost,
		),
	).toBe(true);
});

test('a hash with another cost stays valid', async () => {
	expect(await verifyPassword('pleaseletmein', cheap, cheapCost)).toBe(true);
});

test.each([null, undefined])('[26] without a stored password (%s) no password matches', async stored => {
	expect(await verifyPassword('', stored, cheapCost)).toBe(false);
});

test('a corrupt stored hash throws and never matches', async () => {
	await expect(verifyPassword('x', 'scrypt$16$8$1$c2FsdA$', cheapCost)).rejects.toThrow('cannot be read');
	await expect(verifyPassword('x', 'plain', cheapCost)).rejects.toThrow('cannot be read');
});

test('[21] concurrent passwords are checked two at a time, and the queue shows when it is full', async () => {
	const cheapest = `scrypt$2$8$1$${salt}$${hash}`;
	const checks = Array.from({length: 22}, () => verifyPassword('x', cheapest, cheapCost));
	expect(isBusyHashing()).toBe(true);
	expect(new Set(await Promise.all(checks))).toEqual(new Set([false]));
	expect(isBusyHashing()).toBe(false);

	// A failed check frees its slot, too.
	const broken = `scrypt$3$8$1$${salt}$${hash}`;
	const failed = await Promise.allSettled(Array.from({length: 5}, () => verifyPassword('x', broken, cheapCost)));
	expect(failed.map(({status}) => status)).toEqual(Array.from({length: 5}, () => 'rejected'));
	expect(await verifyPassword('pleaseletmein', cheap, cheapCost)).toBe(true);
});
