import fc from 'fast-check';
import {expect, test} from 'vitest';
import {isWithin, originOf, profileNameOf} from '../../src/core/origin.ts';

test.each([
	['https://host.example', 'https://host.example'],
	['https://host.example/', 'https://host.example'],
	['HTTPS://Host.Example:443/?x#y', 'https://host.example'],
	['https://host.example/agents/', 'https://host.example/agents'],
	['https://host.example/agents//?x', 'https://host.example/agents'],
	['https://host.example/a/../agents', 'https://host.example/agents'],
	['https://host.example/Agents/v1', 'https://host.example/Agents/v1'],
	['127.0.0.1:8700/agents', 'http://127.0.0.1:8700/agents'],
	['host.example/agents', 'https://host.example/agents'],
])('[6] the server %s is %s', (url, server) => {
	expect(originOf(url)).toBe(server);
	expect(originOf(server)).toBe(server);
});

test('[6] a server whose path has escapes keeps what is below it alone', () => {
	const server = originOf('https://host.example/@org%2Fname/mcp');
	expect(isWithin('https://host.example/@org%2Fname/mcp/x', server)).toBe(true);
	expect(isWithin('https://host.example/@org%2Fother/mcp', server)).toBe(false);
	expect(isWithin('https://host.example/@org/name/mcp', server)).toBe(false);
	expect(isWithin('https://host.example/x', originOf('https://host.example/a%2f..'))).toBe(false);
});

const base = 'https://host.example/agents';

test.each([
	['/agents', true],
	['/agents/', true],
	['/agents?x=1', true],
	['/agents/api/v1', true],
	['/agents/a%2Fb', true],
	['/agents/a..b/..c', true],
	['/agents/x/../y', true],
	['/', false],
	['/api/v1', false],
	['/agents-evil', false],
	['/agentsevil/x', false],
	['/Agents/x', false],
	['/agents/../x', false],
	['/agents/..', false],
	['/agents/%2e%2e/x', false],
	['/agents/.%2E/x', false],
	['/agents%2f..', false],
	['/agents%2f../x', false],
	['/agents/%2e%2e%2fx', false],
	['/agents/..%2fx', false],
	['/agents/..%5cx', false],
	['/agents/..\\x', false],
	['/agents/%252e%252e%252fx', false],
	['/agents/a/..%2f..%2fx', false],
	['/agents/..;/x', false],
	['/agents/..;a=b/x', false],
	['/agents/.;/..;/x', false],
	['/agents/%2e%2e%3b/x', false],
	['//agents/x', false],
	['/x/../agents/y', true],
])('[6] %s is of a server with a path: %s', (path, expected) => {
	expect(isWithin(`https://host.example${path}`, base)).toBe(expected);
	expect(isWithin(`http://host.example${path}`, base)).toBe(false);
	expect(isWithin(`https://host.example:8443${path}`, base)).toBe(false);
	expect(isWithin(`https://evil.example${path}`, base)).toBe(false);
	expect(isWithin(`https://host.example@evil.example${path}`, base)).toBe(false);
});

test('[6] a server without a path has its whole host', () => {
	for (const path of ['', '/', '/a/../b', '/a%2f..', '//x', '/agents;x']) {
		expect(isWithin(`https://host.example${path}`, 'https://host.example')).toBe(true);
	}
});

test('[6] whatever follows the path, no reading of it leaves the server', () => {
	const part = fc.constantFrom(
		'/',
		'..',
		'.',
		'%2e',
		'%2f',
		'%5c',
		'\\',
		';',
		'%25',
		'2e',
		'2f',
		'a',
		'%3b',
		'//',
		'agents',
	);
	fc.assert(
		fc.property(fc.array(part, {maxLength: 12}), parts => {
			const url = `${base}/${parts.join('')}`;
			if (isWithin(url, base)) {
				for (let path = new URL(url).pathname, count = 0; count < 4; count++) {
					const read = new URL(
						path
							.replaceAll('\\', '/')
							.replace(/;[^/]*/g, '')
							.replace(/\/+/g, '/'),
						base,
					).pathname;
					expect(`${read}/`).toMatch(/^\/agents\//);
					path = path.replace(/%(?:2[ef5]|5c|3b)/gi, decodeURIComponent);
				}
			}
		}),
	);
});

test('a profile is named after the host of its server, and the path if it has one', () => {
	expect(profileNameOf(new URL('https://app.example.com'))).toBe('app.example.com');
	expect(profileNameOf(new URL('http://127.0.0.1:8700/'))).toBe('127.0.0.1:8700');
	expect(profileNameOf(new URL('https://app.example.com/agents'))).toBe('app.example.com/agents');
});
