import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';

/** Returns the server's side of the next connection. Others in this process may end at any time. */
function nextAccepted(): Promise<Socket> {
	return new Promise(resolve => {
		const onSocket = (message: unknown) => {
			unsubscribe(channel, onSocket);
			resolve((message as {readonly socket: Socket}).socket);
		};
		subscribe(channel, onSocket);
	});
}

const channel = 'net.server.socket';

test('[21] a rejected client that keeps its side open is disconnected', async () => {
	const listening = await listen(async () => new Response(), {
		timeouts: {headersMs: 100, requestMs: 200, idleMs: 10_000},
	});
	onTestFinished(() => listening.close());
	const accepted = nextAccepted();
	const socket = connect({port: Number(new URL(listening.url).port), host: '127.0.0.1', allowHalfOpen: true});
	onTestFinished(() => {
		socket.destroy();
	});
	socket.resume();
	await once(socket, 'end');
	const {destroyed} = await accepted;
	expect(destroyed).toBe(false);
	await once(await accepted, 'close');
});
