import fc from 'fast-check';
import {expect, test} from 'vitest';
import {rangeOf} from '../../../src/server/artifacts/artifact-routes.ts';
import {objectName} from '../../../src/server/artifacts/object-name.ts';
import {fileNameOf, mimeTypeOf, presentationOf} from '../../../src/server/handlers/artifacts.ts';
import {anyText} from '../../any-text.ts';

const hash = 'a'.repeat(64);

test('an object is named by its hash, or by the hash of its name, within its workspace', () => {
	expect(objectName('w', `sha256:${hash}`)).toBe(`w/sha256-${hash}`);
	expect(objectName('w', 'report.txt')).toMatch(/^w\/oid-[\da-f]{64}$/);
});

test('any oid gives a safe and unique object name', () => {
	const oid = fc.oneof(anyText(), fc.constantFrom('..', '../../etc', `sha256:${hash}`, `SHA256:${hash}`));
	fc.assert(
		fc.property(oid, oid, (one, other) => {
			expect(objectName('w', one)).toMatch(/^w\/(?:sha256|oid)-[\da-f]{64}$/);
			expect(objectName('w', one) === objectName('w', other)).toBe(one === other);
		}),
	);
});

test.each<[string | null, string]>([
	['report.txt', 'report.txt'],
	['Übersicht „März“.pdf', 'Übersicht „März“.pdf'],
	[null, 'artifact'],
	['', 'artifact'],
	['..', 'artifact'],
	['../../etc/passwd', 'passwd'],
	['C:\\Users\\ada\\a.txt', 'a.txt'],
	['a\r\nSet-Cookie: x.txt', 'aSet-Cookie_ x.txt'],
	['gpj.\u202eexe', 'gpj.exe'],
	['.bashrc', 'bashrc'],
	['CON:|?*<>"', 'CON_______'],
	[`${'x'.repeat(300)}.json`, `${'x'.repeat(55)}.json`],
	['\ud800lone.txt', 'lone.txt'],
])('a file named %j is saved as %j', (named, expected) => {
	expect(fileNameOf(named)).toBe(expected);
});

test.each<[string | null, string]>([
	['Text/Plain; charset=latin1', 'text/plain'],
	['application/vnd.a+json', 'application/vnd.a+json'],
	['text/html\r\nx: y', 'application/octet-stream'],
	['text', 'application/octet-stream'],
	['', 'application/octet-stream'],
	[null, 'application/octet-stream'],
])('the type %j becomes %j', (named, expected) => {
	expect(mimeTypeOf(named)).toBe(expected);
});

test.each<[string, string, boolean, string, string]>([
	['image/png', 'a.png', false, 'image/png', 'inline; filename="a.png"'],
	['image/png', 'a.png', true, 'image/png', 'attachment; filename="a.png"'],
	['text/plain', 'a.txt', false, 'text/plain; charset=utf-8', 'inline; filename="a.txt"'],
	['image/svg+xml', 'a.svg', false, 'image/svg+xml', 'attachment; filename="a.svg"'],
	['text/html', 'a.html', false, 'text/html', 'attachment; filename="a.html"'],
	['application/pdf', 'a.pdf', false, 'application/pdf', 'attachment; filename="a.pdf"'],
	[
		'application/json',
		"März (1)'s 100%.json",
		false,
		'application/json; charset=utf-8',
		"inline; filename=\"M_rz (1)'s 100_.json\"; filename*=UTF-8''M%C3%A4rz%20%281%29%27s%20100%25.json",
	],
])(
	'[16] %s %s, download %s, is presented as %s; %s',
	(mimeType, filename, download, contentType, contentDisposition) => {
		expect(presentationOf({mimeType, filename, download})).toEqual({contentType, contentDisposition});
	},
);

test('any file name is a valid header', () => {
	fc.assert(
		fc.property(anyText(), named => {
			const shown = presentationOf({mimeType: 'image/png', filename: fileNameOf(named), download: false});
			expect(new Headers({a: shown.contentDisposition}).get('a')).toMatch(
				/^inline; filename="[^"\\]+"(?:; filename\*=UTF-8''[\w!.~%-]+)?$/,
			);
		}),
	);
});

test.each<[string | null, object | undefined]>([
	['bytes=0-0', {start: 0, end: 0}],
	['bytes=2-', {start: 2, end: 9}],
	['bytes=-3', {start: 7, end: 9}],
	['bytes=-300', {start: 0, end: 9}],
	['bytes=5-99', {start: 5, end: 9}],
	['bytes=10-', undefined],
	['bytes=-0', undefined],
	['bytes=5-4', undefined],
	['bytes=-', undefined],
	['bytes=0-1,3-4', undefined],
	['lines=0-1', undefined],
	[null, undefined],
])('for ten bytes, %j requests %j', (header, expected) => {
	expect(rangeOf(header, 10)).toEqual(expected);
});

test('zero bytes have no range', () => {
	expect(['bytes=0-', 'bytes=-1', 'bytes=0-0'].map(header => rangeOf(header, 0))).toEqual(Array(3).fill(undefined));
});
