import {once} from 'node:events';
import {connect} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';
import {deferred} from '../../../src/ui/opening/turns.ts';

/** A server whose handler ends only when the test lets it, and what happened in which order. */
async function held(closeTimeoutMs?: number) {
	const seen: string[] = [];
	const [begun, end] = [deferred(), deferred()];
	const handle = async () => {
		seen.push('begun');
		begun.resolve();
		await end.promise;
		seen.push('done');
		return Response.json({});
	};
	const {url, close} = await listen(handle, closeTimeoutMs === undefined ? {} : {closeTimeoutMs});
	let closed: Promise<void> | undefined;
	const closeOnce = () => {
		closed ??= close().then(() => void seen.push('closed'));
		return closed;
	};
	onTestFinished(() => {
		end.resolve();
		return closeOnce();
	});
	return {url, close: closeOnce, seen, begun: begun.promise, end: end.resolve};
}

/** Opens a connection and collects what it receives. */
async function connection(url: string) {
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
	onTestFinished(() => void socket.destroy());
	await once(socket, 'connect');
	const received: string[] = [];
	socket.on('data', (data: string) => received.push(data));
	return {
		get: () => socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
		received: () => received.join(''),
		destroy: () => socket.destroy(),
		ended: once(socket, 'close'),
	};
}

test('closing a server answers what is in progress, and closes its connection', async () => {
	const {url, close, seen, begun, end} = await held();
	const {get, received, ended} = await connection(url);
	get();
	await begun;
	const closed = close();
	end();
	await Promise.all([closed, ended]);
	expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
	expect(seen).toEqual(['begun', 'done', 'closed']);
});

test('closing a server waits for a request whose client has disconnected', async () => {
	const {url, close, seen, begun, end} = await held();
	const {get, destroy, ended} = await connection(url);
	get();
	await begun;
	destroy();
	await ended;
	const closed = close();
	// Nothing but the handler is left then.
	await new Promise(resolve => setTimeout(resolve, 20));
	end();
	await closed;
	expect(seen).toEqual(['begun', 'done', 'closed']);
});

test('a server that closes answers requests on open connections with 503 and does nothing for them', async () => {
	const {url, close, seen, begun, end} = await held();
	const [first, second] = [await connection(url), await connection(url)];
	first.get();
	await begun;
	const closed = close();
	second.get();
	await second.ended;
	expect(second.received()).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"This server is stopping\./i);
	end();
	await Promise.all([closed, first.ended]);
	expect(first.received()).toMatch(/^HTTP\/1\.1 200 /);
	expect(seen).toEqual(['begun', 'done', 'closed']);
});

test('a request that takes too long for a server that closes gets 504, as it may be done', async () => {
	const {url, close, begun} = await held(20);
	const {get, received, ended} = await connection(url);
	get();
	await begun;
	await Promise.all([close(), ended]);
	expect(received()).toMatch(/^HTTP\/1\.1 504 [\s\S]*"This server stopped before the request was done\./);
});
