import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isExcepted, proxyOf, routeTo} from '../../src/net/proxy-route.ts';

test.each([
	['example.com', 'https://example.com', true],
	['example.com', 'https://api.example.com', true],
	['example.com', 'https://notexample.com', false],
	['.example.com', 'https://example.com', true],
	['.example.com', 'https://api.example.com', true],
	['*.example.com', 'https://api.example.com', true],
	['example.com.', 'https://api.example.com', true],
	['example.com', 'https://example.com.', true],
	['EXAMPLE.com', 'https://Example.COM', true],
	['bücher.example', 'https://xn--bcher-kva.example', true],
	['a.test b.test,c.test\td.test', 'https://d.test', true],
	[' , ', 'https://a.test', false],
	['*', 'https://a.test', true],
	['a.test,*', 'https://b.test', true],
	['example.com:443', 'https://example.com', true],
	['example.com:8443', 'https://example.com', false],
	['example.com:8443', 'https://example.com:8443', true],
	['example.com:80', 'http://example.com', true],
	['10.0.0.0/8', 'http://10.1.2.3', true],
	['10.0.0.0/8', 'http://11.1.2.3', false],
	['10.1.2.3/', 'http://11.1.2.3', false],
	['10.0.0.0/ 8', 'http://11.1.2.3', false],
	['192.168.4.0/22', 'http://192.168.7.255', true],
	['192.168.4.0/22', 'http://192.168.8.0', false],
	['0.0.0.0/0', 'http://8.8.8.8', true],
	['10.1.2.3', 'http://10.1.2.3', true],
	['10.1.2.3:8080', 'http://10.1.2.3:8080', true],
	['10.1.2.3:8080', 'http://10.1.2.3', false],
	['10.', 'http://10.1.2.3', true],
	['192.168.*', 'http://192.168.9.9', true],
	['10.1.2', 'http://10.1.2.3', false],
	['2.3', 'http://10.1.2.3', false],
	['10.0.0.0/8', 'http://10.example.com', false],
	['fd00::/8', 'http://[fd12::1]', true],
	['[fd00::]/8', 'http://[fd12::1]', true],
	['fd12::1', 'http://[fd12::1]', true],
	['[fd12::1]', 'http://[fd12::1]:8080', true],
	['[fd12::1]:8080', 'http://[fd12::1]:8080', true],
	['[fd12::1]:8080', 'http://[fd12::1]', false],
	['FD12:0::1', 'http://[fd12::1]', true],
	['10.0.0.0/8', 'http://[::ffff:10.1.2.3]', true],
	['10.0.0.0/33', 'http://10.0.0.0', false],
	['10.0.0.0/x', 'http://10.0.0.0', false],
	['a/b:c]d', 'https://a.test', false],
])('NO_PROXY=%s reaches %s without the proxy: %s', (list, url, expected) => {
	expect(isExcepted(new URL(url), list)).toBe(expected);
});

const far = new URL('https://far.test');
const plain = new URL('http://far.test');

test('lower case wins, and an empty no_proxy does not hide NO_PROXY', () => {
	const env = {https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1', no_proxy: '', NO_PROXY: 'other.test'};
	expect(routeTo(env, far)).toMatchObject({kind: 'tunnel', proxy: {origin: 'http://lower:1', variable: 'https_proxy'}});
	expect(routeTo(env, new URL('https://other.test'))).toEqual({kind: 'direct', why: 'NO_PROXY'});
	expect(() => routeTo({...env, https_proxy: 'no url'}, far)).toThrow('Invalid https_proxy: not an http or https URL.');
	expect(() => routeTo({all_proxy: 'http://a b'}, far)).toThrow('Invalid all_proxy');
	expect(routeTo({...env, no_proxy: 'far.test'}, far)).toEqual({kind: 'direct', why: 'NO_PROXY'});
	expect(routeTo(env, plain)).toEqual({kind: 'direct', why: 'no proxy'});
	expect(routeTo({ALL_PROXY: 'all:1'}, new URL('http://localhost:1'))).toEqual({kind: 'direct', why: 'loopback'});
});

test('plain http is forwarded, https tunnelled; the scheme of a proxy may be missing', () => {
	expect(routeTo({http_proxy: 'proxy.test:3128'}, plain)).toMatchObject({
		...{kind: 'forward', proxy: {origin: 'http://proxy.test:3128', authorization: undefined}},
	});
	expect(routeTo({ALL_PROXY: 'https://me:%40@proxy.test'}, far)).toMatchObject({
		...{kind: 'tunnel', proxy: {origin: 'https://proxy.test', authorization: `Basic ${btoa('me:@')}`}},
	});
});

test('where a web server runs us, a header of a request does not become the proxy', () => {
	expect(proxyOf({HTTP_PROXY: 'http://evil.test', REQUEST_METHOD: 'GET'}, 'http')).toBeUndefined();
	expect(proxyOf({http_proxy: 'http://own.test', REQUEST_METHOD: 'GET'}, 'http')?.origin).toBe('http://own.test');
	expect(proxyOf({HTTPS_PROXY: 'http://own.test', REQUEST_METHOD: 'GET'}, 'https')?.origin).toBe('http://own.test');
});

test('a SOCKS proxy is refused in words', () => {
	expect(() => routeTo({HTTPS_PROXY: 'socks5h://127.0.0.1:1080'}, far)).toThrow(
		expect.objectContaining({
			code: 'usage',
			message: "HTTPS_PROXY names a socks5h proxy, which isn't supported.",
			hint: 'Set HTTPS_PROXY to an http proxy, or unset it.',
		}),
	);
	expect(routeTo({ALL_PROXY: 'socks5://127.0.0.1:1080'}, far)).toEqual({kind: 'direct', why: 'no proxy'});
});

test('any list of hosts and any server give an answer, and the server’s own name is always enough', () => {
	const host = fc.oneof(
		fc.domain(),
		fc.ipV4(),
		fc.ipV6().map(address => `[${address}]`),
	);
	const entry = fc.oneof(host, fc.string({maxLength: 12}), fc.constantFrom('/', '*', '.', ':', '[', '10.0.0.0/'));
	fc.assert(
		fc.property(host, fc.array(entry, {maxLength: 5}), (name, entries) => {
			fc.pre(URL.canParse(`https://${name}`));
			const url = new URL(`https://${name}`);
			expect(typeof isExcepted(url, entries.join(','))).toBe('boolean');
			expect(isExcepted(url, [...entries, url.hostname].join(','))).toBe(true);
		}),
		{numRuns: 300},
	);
});
