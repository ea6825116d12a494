import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {createOAuthFetch} from '../../../src/agent/mcp/oauth/oauth-fetch.ts';

/** Returns the fetch of a connection to a server whose responses have so many bytes. */
async function fetching(bytes: number) {
	const host = createServer((_, response) => response.end('x'.repeat(bytes)));
	host.listen(0, '127.0.0.1');
	await once(host, 'listening');
	const server = new URL(`http://127.0.0.1:${(host.address() as AddressInfo).port}/token`);
	const oauth = createOAuthFetch({server, env: {}, version: '0'});
	onTestFinished(async () => {
		await oauth.close();
		host.close();
	});
	return async () => (await (await oauth.fetch(server)).text()).length;
}

test('a connection refreshes its login for as long as it is open, however much that adds up to', async () => {
	const read = await fetching(400_000);
	for (let count = 0; count < 4; count++) {
		expect(await read()).toBe(400_000);
	}
});

test('[21] a response of more than a mebibyte breaks off', async () => {
	const read = await fetching(2_000_000);
	await expect(read()).rejects.toThrow();
});

test.each([
	...[
		'127.0.0.1',
		'127.1',
		'2130706433',
		'0x7f.1',
		'017700000001',
		'0.0.0.0',
		'0',
		'localhost',
		'LOCALHOST.',
		'a.localhost',
	],
	...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '169.254.169.254', '[fe80::1]', '[fd00:ec2::254]'],
])('[9] a server elsewhere names no address of this machine for its login: %s', async host => {
	const oauth = createOAuthFetch({server: new URL('https://server.example/mcp'), env: {}, version: '0'});
	onTestFinished(oauth.close);
	await expect(oauth.fetch(`https://${host}:9/token`)).rejects.toThrow('names an address of this machine');
});
