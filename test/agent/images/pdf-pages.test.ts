import {deflateSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {countPages} from '../../../src/agent/images/read-image.ts';

const pages = (count: number) => '<< /Type /Page /Parent 2 0 R >>\n'.repeat(count);
const tree = (count: number | string) => `<< /Type /Pages /Kids [3 0 R] /Count ${count} >>\n`;
const file = (...parts: readonly (string | Buffer)[]) =>
	Buffer.concat(['%PDF-1.7\n', ...parts, '\ntrailer\n%%EOF\n'].map(part => Buffer.from(part as string)));

/** An object stream, as PDF 1.5 and later have it. */
const packed = (text: string, data = deflateSync(text)) =>
	Buffer.concat([
		Buffer.from(`5 0 obj\n<< /Type /ObjStm /N 3 /Filter /FlateDecode /Length ${data.length} >>\nstream\r\n`),
		...[data, Buffer.from('\nendstream\nendobj\n')],
	]);

test.each<[string, Buffer, number]>([
	['plain objects', file(tree(3), pages(3)), 3],
	['compressed objects', file(packed(tree(12) + pages(5)), packed(pages(7))), 12],
	['compressed objects beside plain ones', file(pages(1), packed(pages(4))), 5],
	['earlier versions of its pages', file(tree(2), pages(6)), 2],
	['a count that lies', file(tree(9_999_999), pages(2)), 2],
	['a tree alone', file(packed(tree(4)), Buffer.alloc(4000)), 4],
	['a tree alone that lies', file(tree(9_999_999), Buffer.alloc(150_000)), 2],
	['an outline with a count', file('<< /Type /Outlines /Count 50 >>', tree(1), pages(1)), 1],
	['nothing that can be read', file(Buffer.alloc(450_000)), 5],
	['damaged streams', file(packed('', Buffer.from('no deflate')), '/ObjStm stream', pages(2)), 2],
	['a stream without an end', file(pages(1), '<< /Type /ObjStm >>\nstream\nabc'), 1],
])('the pages of a PDF with %s are counted', (_, bytes, expected) => {
	expect(countPages(bytes)).toBe(expected);
});

test('a file of page trees without an end is read once', () => {
	const found = countPages(file('<< /Type /Pages '.repeat(200_000), pages(3)));
	expect(found).toBe(3);
});

test('a stream that unpacks to far more than it is costs only what is allowed', () => {
	const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 'x'));
	expect(countPages(file(...Array.from({length: 20}, () => packed('', bomb)), pages(1)))).toBe(1);
});
