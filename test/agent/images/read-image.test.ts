import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readImage} from '../../../src/agent/images/read-image.ts';
import {gif, jpeg, png, webp} from './image-samples.ts';

const samples = [
	['image/png', 2, 3, png()],
	['image/jpeg', 5, 4, jpeg],
	['image/gif', 1, 1, gif],
	['image/webp', 7, 6, webp],
] as const;

test.each(samples)('%s is known by its bytes, with its size', (type, width, height, bytes) => {
	expect(readImage(bytes)).toEqual({type, width, height, bytes});
});

test.each(samples)(
	'what follows a %s is not part of it: no file is two things at once',
	(_, _width, _height, bytes) => {
		const polyglot = Buffer.concat([bytes, Buffer.from('PK\x03\x04<script>')]);
		expect(readImage(polyglot)).toMatchObject({bytes});
	},
);

test.each(samples)('a %s that was cut anywhere is damaged, or no image', (_, _width, _height, bytes) => {
	for (let length = 0; length < bytes.length; length++) {
		expect(['damaged', undefined]).toContain(readImage(bytes.subarray(0, length)));
	}
});

test('a PNG with a changed byte is damaged', () => {
	const changed = png();
	changed[50] = (changed[50] ?? 0) ^ 1;
	expect(readImage(changed)).toBe('damaged');
});

test.each([
	['text', Buffer.from('PNG\n')],
	['nothing', Buffer.alloc(0)],
	['a program', Buffer.from('\x7fELF')],
	['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
])('%s is no image', (_, bytes) => {
	expect(readImage(bytes)).toBeUndefined();
});

test('no bytes behind a known beginning throw or loop', () => {
	const starts = samples.map(([, , , bytes]) => bytes.subarray(0, 16));
	fc.assert(
		fc.property(fc.constantFrom(...starts), fc.uint8Array({maxLength: 400}), (start, rest) => {
			const found = readImage(Buffer.concat([start, rest]));
			expect(found === undefined || found === 'damaged' || found.width > 0).toBe(true);
		}),
	);
});
