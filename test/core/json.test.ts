import fc from 'fast-check';
import {expect, test} from 'vitest';
import {wellFormedJson} from '../../src/core/json.ts';

test('half of a surrogate pair is replaced, in values and in names; whole ones and their look-alikes stay', () => {
	expect(wellFormedJson({'\uDC00': ['a\uD800b', '😀', '\\ud800', '\\\uDFFF', '"\\"']})).toBe(
		String.raw`{"\ufffd":["a\ufffdb","😀","\\ud800","\\\ufffd","\"\\\""]}`,
	);
});

test('nothing else is changed, in any context', () => {
	const units = fc.oneof(fc.integer({min: 0xd800, max: 0xdfff}), fc.constantFrom(0x5c, 0x22, 0x75, 0x64, 0x38, 0x30));
	fc.assert(
		fc.property(fc.array(units), codes => {
			const text = String.fromCharCode(...codes);
			expect(JSON.parse(wellFormedJson([text]))).toEqual([text.replace(/\p{Surrogate}/gu, '\uFFFD')]);
		}),
	);
});
