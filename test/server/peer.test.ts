import {expect, test} from 'vitest';
import {listen} from '../../src/server/listen.ts';
import {peerHeader, peerOf} from '../../src/server/peer.ts';
import {send} from './serve.ts';

const ask = (address: string, publicUrl = 'http://127.0.0.1:8700') =>
	peerOf(new Request('http://127.0.0.1', {headers: {[peerHeader]: address}}), {publicUrl: () => publicUrl});

test.each([
	['127.0.0.1', 'this machine (127.0.0.1)'],
	['::1', 'this machine (::1)'],
	['::ffff:127.0.0.1', 'this machine (127.0.0.1)'],
	['::ffff:192.168.1.7', '192.168.1.7'],
	['fe80::1', 'fe80::1'],
	['', undefined],
])('the address %j is told as %j', (address, told) => {
	expect(ask(address)).toBe(told);
	expect(ask(address, 'https://agents.example')).toBeUndefined();
});

test('nobody says for himself where he is', async () => {
	const listening = await listen(async request => new Response(request.headers.get(peerHeader)));
	try {
		const {text} = await send(listening.url, {headers: {[peerHeader]: '10.0.0.1', 'X-Service-Peer': '10.0.0.2'}});
		expect(text).toBe('127.0.0.1');
	} finally {
		await listening.close();
	}
});
