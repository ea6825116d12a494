import fc from 'fast-check';
import {expect, test} from 'vitest';
import {idInHex} from '../../../../src/server/ingest/otlp/read-json.ts';

const hex = '0102030405060708090a0b0c0d0e0f10';

test.each([
	[hex.toUpperCase(), hex],
	['AQIDBAUGBwgJCgsMDQ4PEA==', hex],
	['AQIDBAUGBwgJCgsMDQ4PEA', hex],
	[Buffer.from(hex).toString('base64'), hex],
	['01020304-0506-0708-090A-0B0C0D0E0F10', hex],
	['', ''],
	['AQID', 'AQID'],
	['nothing at all', 'nothing at all'],
	[`${hex}00`, `${hex}00`],
])('the id %s is %s', (text, id) => {
	expect(idInHex(text)).toBe(id);
});

test('any id of 8 or 16 bytes is read from hex and from base64 with and without its end', () => {
	const bytes = fc.constantFrom(8, 16).chain(length => fc.uint8Array({minLength: length, maxLength: length}));
	fc.assert(
		fc.property(bytes, id => {
			const [digits, base64] = (['hex', 'base64', 'base64url'] as const).map(form => Buffer.from(id).toString(form));
			const url = Buffer.from(id).toString('base64url');
			expect([digits, digits?.toUpperCase(), base64, url].map(text => idInHex(text ?? ''))).toEqual(
				Array(4).fill(digits),
			);
		}),
		{numRuns: 500},
	);
});
