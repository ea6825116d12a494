import {once} from 'node:events';
import {connect} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';

/** Returns how many sockets this process has open. */
const connections = () => process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length;

test('[21] a rejected client that keeps its side open is disconnected', async () => {
	const listening = await listen(async () => new Response(), {
		timeouts: {headersMs: 100, requestMs: 200, idleMs: 10_000},
	});
	onTestFinished(() => listening.close());
	const before = connections();
	const socket = connect({port: Number(new URL(listening.url).port), host: '127.0.0.1', allowHalfOpen: true});
	onTestFinished(() => {
		socket.destroy();
	});
	socket.resume();
	await once(socket, 'end');
	expect(connections()).toBe(before + 2);
	await expect.poll(connections, {interval: 20}).toBe(before + 1);
});
