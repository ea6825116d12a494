import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {startModelHost} from '../../e2e/model-host.ts';
import {realApp, replies} from './real-app.ts';

/** A host in front of a model host that resets its first connection when a request comes on it. */
async function hostThatResets() {
	const host = await startModelHost();
	host.answerWith(replies);
	const connections: Socket[] = [];
	const server = createServer(socket => {
		const isFirst = connections.push(socket) === 1;
		socket.on('error', () => undefined);
		if (isFirst) {
			socket.once('data', () => socket.resetAndDestroy());
			return;
		}

		const onward = connect(Number(new URL(host.baseUrl).port), '127.0.0.1').on('error', () => undefined);
		socket.pipe(onward).pipe(socket);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
		for (const socket of connections) {
			socket.destroy();
		}
	});
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	return {host, connections, connected: () => once(server, 'connection'), baseUrl: `http://127.0.0.1:${port}/v1`};
}

test('a message sent on a connection that the host closes just then is sent again, and the user sees nothing of it', async () => {
	const {host, connections, connected, baseUrl} = await hostThatResets();
	const {type, waitFor, lines} = await realApp({env: {CUSTOM_BASE_URL: baseUrl}});
	await waitFor('custom/alpha');
	const opened = connected();
	type('Hi');
	await opened;
	expect(connections.length).toBe(1);
	type('\r');
	await waitFor('Understood.');
	expect([connections[0]?.destroyed, host.chats().length]).toEqual([true, 1]);
	expect(lines().join('\n')).not.toMatch(/closed|Retrying|✗/);
});
