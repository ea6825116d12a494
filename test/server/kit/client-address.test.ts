import {expect, test} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';
import {clientAddressHeader, describeClientAddress, networkOf} from '../../../src/server/kit/client-address.ts';
import {send} from '../serve.ts';

const ask = (address: string, publicUrl = 'http://127.0.0.1:8700') =>
	describeClientAddress(new Request('http://127.0.0.1', {headers: {[clientAddressHeader]: address}}), {
		publicUrl: () => publicUrl,
	});

test.each([
	['127.0.0.1', 'this machine (127.0.0.1)'],
	['::1', 'this machine (::1)'],
	['::ffff:127.0.0.1', 'this machine (127.0.0.1)'],
	['::ffff:192.168.1.7', '192.168.1.7'],
	['fe80::1', 'fe80::1'],
	['', undefined],
])('the address %j is displayed as %j', (address, told) => {
	expect(ask(address)).toBe(told);
	expect(ask(address, 'https://agents.example')).toBeUndefined();
});

test.each([
	['203.0.113.9', '203.0.113.9'],
	['::ffff:203.0.113.9', '203.0.113.9'],
	['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
	['2001:db8::1', '2001:db8:0:0'],
	['::1', '0:0:0:0'],
	['fe80::1%eth0', 'fe80:0:0:0'],
	['', 'unknown'],
])('attempts from %j count for the network %j', (address, network) => {
	const headers = {[clientAddressHeader]: address, 'x-forwarded-for': '192.0.2.1'};
	expect(networkOf(new Request('http://127.0.0.1', {headers}), {publicUrl: () => 'http://127.0.0.1'})).toBe(network);
});

test('behind a TLS proxy attempts count for the address that the proxy saw, not for a forged one', () => {
	const services = {publicUrl: () => 'https://agents.example'};
	const from = (forwarded: string) =>
		networkOf(
			new Request('http://127.0.0.1', {headers: {[clientAddressHeader]: '127.0.0.1', 'x-forwarded-for': forwarded}}),
			services,
		);
	expect([from('192.0.2.1, 203.0.113.9'), from('2001:db8:1:2::5'), from('')]).toEqual([
		'203.0.113.9',
		'2001:db8:1:2',
		'127.0.0.1',
	]);
});

test('a client cannot choose its own address', async () => {
	const listening = await listen(async request => new Response(request.headers.get(clientAddressHeader)));
	try {
		const {text} = await send(listening.url, {
			headers: {[clientAddressHeader]: '10.0.0.1', 'X-Service-Client-Address': '10.0.0.2'},
		});
		expect(text).toBe('127.0.0.1');
	} finally {
		await listening.close();
	}
});
