import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createSeal, createSealKey, isSealed} from '../../../src/server/accounts/seal.ts';

test('a sealed text opens only with the same key and context', () => {
	const key = createSealKey();
	const seal = createSeal(key);
	fc.assert(
		fc.property(fc.string({unit: 'grapheme'}), fc.string(), fc.string(), (text, place, other) => {
			const sealed = seal.encrypt(text, place);
			expect([isSealed(sealed), createSeal(key).decrypt(sealed, place)]).toEqual([true, text]);
			expect(() => createSeal(createSealKey()).decrypt(sealed, place)).toThrow();
			if (other !== place) {
				expect(() => seal.decrypt(sealed, other)).toThrow();
			}
		}),
		{numRuns: 50},
	);
});

test('the same text is sealed differently each time, and reveals nothing', () => {
	const seal = createSeal(createSealKey());
	const sealed = Array.from({length: 100}, () => seal.encrypt('JBSWY3DPEHPK3PXP', 'totp:1'));
	expect(new Set(sealed).size).toBe(100);
	expect(sealed.filter(text => Buffer.from(text.slice(3), 'base64url').includes('JBSW'))).toEqual([]);
});

test('a modified sealed text does not open', () => {
	const seal = createSeal(createSealKey());
	const sealed = seal.encrypt('JBSWY3DPEHPK3PXP', 'totp:1');
	const bytes = Buffer.from(sealed.slice(3), 'base64url');
	for (const index of bytes.keys()) {
		const changed = Buffer.from(bytes);
		changed[index] = (changed[index] ?? 0) ^ 1;
		expect(() => seal.decrypt(`v1.${changed.toString('base64url')}`, 'totp:1')).toThrow();
	}

	for (const wrong of ['', 'v1.', 'v1.AAAA', sealed.slice(0, -8), 'JBSWY3DPEHPK3PXP', `v2.${sealed.slice(3)}`]) {
		expect(() => seal.decrypt(wrong, 'totp:1')).toThrow();
	}
});

test('a derived key is always the same, and differs by purpose and key', () => {
	const key = createSealKey();
	const derive = (from: Buffer, purpose: string) => createSeal(from).derive(purpose).toString('hex');
	expect(derive(key, 'links')).toBe(derive(key, 'links'));
	const all = [derive(key, 'links'), derive(key, 'other'), derive(createSealKey(), 'links'), key.toString('hex')];
	expect(new Set(all).size).toBe(4);
});
