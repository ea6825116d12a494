import fc from 'fast-check';
import {Secret, TOTP} from 'otpauth';
import {expect, test} from 'vitest';
import {createTotpSecret, stepOfTotp, totpUrl} from '../../../src/server/accounts/totp.ts';

/** The secret of RFC 6238, appendix B: `12345678901234567890`. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const fresh = {secret, lastStep: null};
const codeAt = (now: number, of = secret) => new TOTP({secret: Secret.fromBase32(of)}).generate({timestamp: now});

test.each([
	[59, '287082'],
	[1_111_111_109, '081804'],
	[1_111_111_111, '050471'],
	[1_234_567_890, '005924'],
	[2_000_000_000, '279037'],
	[20_000_000_000, '353130'],
])('RFC 6238 appendix B: at %d s the code ends with %s', (seconds, code) => {
	expect(stepOfTotp(code, fresh, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test('a code is valid one step early or late, but not two', () => {
	const now = 1_700_000_000_000;
	const steps = [-60, -30, 0, 30, 60].map(seconds => stepOfTotp(codeAt(now + seconds * 1000), fresh, now));
	const step = Math.floor(now / 30_000);
	expect(steps).toEqual([undefined, step - 1, step, step + 1, undefined]);
});

test('a code works once, and earlier codes are used up, too', () => {
	const now = 1_700_000_000_000;
	const late = stepOfTotp(codeAt(now + 30_000), fresh, now) ?? null;
	expect(stepOfTotp(codeAt(now + 30_000), {secret, lastStep: late}, now)).toBeUndefined();
	expect(stepOfTotp(codeAt(now), {secret, lastStep: late}, now)).toBeUndefined();
	expect(stepOfTotp(codeAt(now + 60_000), {secret, lastStep: late}, now + 60_000)).toBe(Number(late) + 1);
});

test('spaces in a code are ignored', () => {
	expect(stepOfTotp('287 082', fresh, 59_000)).toBe(1);
});

test.each(['', '28708', '2870822', '94287082', 'abcdef', '28708२', '-87082', '2.7082', '287082; DROP TABLE users'])(
	'%j is not a code',
	typed => {
		expect(stepOfTotp(typed, fresh, 59_000)).toBeUndefined();
	},
);

test('any code of any secret is accepted once, at its own time', () => {
	fc.assert(
		fc.property(fc.integer({min: 0, max: 4_000_000_000}), seconds => {
			const own = createTotpSecret();
			const step = stepOfTotp(codeAt(seconds * 1000, own), {secret: own, lastStep: null}, seconds * 1000);
			expect(step).toBeDefined();
			const again = {secret: own, lastStep: step ?? null};
			expect(stepOfTotp(codeAt(seconds * 1000, own), again, seconds * 1000)).toBeUndefined();
		}),
		{numRuns: 50},
	);
});

test('the URL names the server and the account, whatever they contain', () => {
	const address = totpUrl(secret, {issuer: '127.0.0.1:8700', account: 'a&b=c?@x.example'});
	expect(address).toBe(
		`otpauth://totp/127.0.0.1%208700:a%26b%3Dc%3F%40x.example?issuer=127.0.0.1%208700&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
	);
	expect(createTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
});
