import {expect, test} from 'vitest';
import {isLoopback, originOf, parseServerUrl, profileNameOf} from '../../src/core/origin.ts';

test.each([
	['app.example.com', 'https://app.example.com'],
	['  app.example.com/ ', 'https://app.example.com'],
	['APP.Example.com:8443/path?query', 'https://app.example.com:8443/path'],
	['https://a.test:443', 'https://a.test'],
	['http://a.test:80/', 'http://a.test'],
	['localhost:8700', 'http://localhost:8700'],
	['127.0.0.1:8700', 'http://127.0.0.1:8700'],
	['[::1]:8700', 'http://[::1]:8700'],
	['dev.localhost', 'http://dev.localhost'],
	['https://localhost', 'https://localhost'],
	['https://a.test/@me', 'https://a.test/@me'],
	['127.0.0.1.evil.test', 'https://127.0.0.1.evil.test'],
	['localhost.evil.test', 'https://localhost.evil.test'],
])('%j is the server %s: a missing scheme is https, or http on this machine [9]', (typed, origin) => {
	expect(originOf(typed)).toBe(origin);
});

test('an invalid URL has the reason that is true', () => {
	expect(() => parseServerUrl('ftp://a.test')).toThrow('Invalid URL “ftp://a.test”: not http or https.');
	expect(() => parseServerUrl('http://[::1')).toThrow('Invalid URL “http://[::1”.');
});

test.each(['', ' ', 'ftp://a.test', 'file:///etc/passwd', 'javascript:alert(1)', 'http://', 'https://a b', '//'])(
	'%j is not a valid URL',
	typed => {
		expect(() => parseServerUrl(typed)).toThrowError(
			expect.objectContaining({code: 'usage', hint: 'Use https://host or http://127.0.0.1:8700.'}),
		);
	},
);

test.each(['https://me:s3cret@a.test', 'me:s3cret@a.test', 'ftp://me:s3cret@a.test', 'https://me:s3/cret@a.test'])(
	'%s is refused without repeating its password [8]',
	typed => {
		expect(() => parseServerUrl(typed)).toThrowError(
			expect.objectContaining({
				code: 'usage',
				message: 'The URL must not contain a user name or password.',
				hint: 'Use the URL alone; log in with an API key.',
			}),
		);
	},
);

test.each([
	['http://localhost', true],
	['http://dev.localhost', true],
	['http://127.0.0.1', true],
	['http://127.255.0.9', true],
	['http://0x7f.1', true],
	['http://[::1]', true],
	['http://127.0.0.1.evil.test', false],
	['http://notlocalhost', false],
	['http://10.0.0.1', false],
	['http://0.0.0.0', false],
	['http://[::]', false],
	['http://[fe80::1]', false],
])('%s never leaves this machine: %s [9]', (url, loopback) => {
	expect(isLoopback(new URL(url))).toBe(loopback);
});

test('a profile is named after its host, with the port if it is not the default', () => {
	expect(['https://app.example.com', 'http://127.0.0.1:8700'].map(url => profileNameOf(new URL(url)))).toEqual([
		'app.example.com',
		'127.0.0.1:8700',
	]);
});
