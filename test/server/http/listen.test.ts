import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {Agent, request as httpRequest, type IncomingMessage, type ServerResponse} from 'node:http';
import {connect} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, onTestFinished, test} from 'vitest';
import {eventStream} from '../../../src/server/demo-model/demo-routes.ts';
import {listen} from '../../../src/server/http/listen.ts';
import {atRest} from '../../at-rest.ts';
import {bearer, serve} from '../serve.ts';

/** A server that streams endlessly and counts how much was requested. */
async function endless(options?: Parameters<typeof listen>[1]) {
	const seen = {pieces: 0, ended: 0};
	const listening = await listen(
		async () =>
			eventStream(async function* () {
				try {
					for (;;) {
						seen.pieces++;
						yield 'x'.repeat(10_000);
						await new Promise(setImmediate);
					}
				} finally {
					seen.ended++;
				}
			}),
		options,
	);
	onTestFinished(() => listening.close());
	return {...listening, seen};
}

async function until(done: () => boolean) {
	await expect.poll(done, {interval: 10}).toBe(true);
}

test('a client that disconnects ends the stream', async () => {
	const {url, seen} = await endless();
	const request = httpRequest(url).end();
	const [response] = await once(request, 'response');
	await once(response, 'data');
	request.destroy();
	await until(() => seen.ended > 0);
	expect(seen.ended).toBe(1);
});

test('[21] a client that does not read slows the stream down', async () => {
	const {url, seen} = await endless();
	const socket = connect(Number(new URL(url).port), '127.0.0.1');
	onTestFinished(() => {
		socket.destroy();
	});
	socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
	socket.pause();
	await until(() => seen.pieces > 0);
	expect(await atRest(() => seen.pieces)).toBeLessThan(2000);
});

test('[21] a client that reads nothing for too long ends the stream', async () => {
	const {url, seen} = await endless({timeouts: {headersMs: 1000, requestMs: 1000, idleMs: 100}});
	const socket = connect(Number(new URL(url).port), '127.0.0.1');
	onTestFinished(() => {
		socket.destroy();
	});
	socket.on('error', () => {});
	socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
	socket.pause();
	await until(() => seen.ended > 0);
	expect(seen.ended).toBe(1);
});

test('[21] a file of a known length is streamed, also one of JSON', async () => {
	let finish = () => {};
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			controller.enqueue(Buffer.from('[1,'));
			finish = () => {
				controller.enqueue(Buffer.from('2]'));
				controller.close();
			};
		},
	});
	const headers = {'content-type': 'application/json; charset=utf-8', 'content-length': '5'};
	const {url, close} = await listen(async () => new Response(body, {headers}));
	onTestFinished(close);
	const request = httpRequest(url).end();
	const [response] = await once(request, 'response');
	const [first] = await once(response, 'data');
	finish();
	const [second] = await once(response, 'data');
	expect([response.headers['content-length'], `${first}${second}`]).toEqual(['5', '[1,2]']);
});

test('closing the server ends streams that do not end by themselves', async () => {
	const {url, seen, close} = await endless({closeTimeoutMs: 50});
	const request = httpRequest(url).end();
	const [response] = await once(request, 'response');
	response.on('error', () => {});
	request.on('error', () => {});
	response.resume();
	await close();
	await until(() => seen.ended > 0);
	expect(seen.ended).toBe(1);
});

test('an address that cannot be used has a readable error', async () => {
	const {url} = await serve();
	const port = Number(new URL(url).port);
	const listening = (options: Parameters<typeof listen>[1]) => listen(async () => new Response(), options);
	await expect(listening({port})).rejects.toMatchObject({
		code: 'failed',
		message: `Can't listen on 127.0.0.1:${port}: another program listens there.`,
		hint: 'Choose another --port, or a --host of this machine.',
	});
	// A documentation address (RFC 5737), which no machine has.
	await expect(listening({port: 0, host: '192.0.2.1'})).rejects.toMatchObject({
		message: "Can't listen on 192.0.2.1:0: this machine has no such address.",
	});
});

/** Returns how many connections to a port the system has set up, accepted by the program or not. */
function countConnections(port: number): number {
	const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	const established = readFileSync('/proc/net/tcp', 'utf8')
		.split('\n')
		.map(line => line.trim().split(/\s+/))
		.filter(([, address, , state]) => address?.endsWith(local) && state === '01');
	return established.length;
}

test.runIf(process.platform === 'linux')('a thousand connections wait for a server that is busy', async () => {
	const {url, close} = await serve();
	const {port} = new URL(url);
	const sockets = Array.from({length: 1000}, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
	// They connect in the next tick, and are accepted after that.
	await new Promise<void>(resolve => process.nextTick(resolve));
	expect(countConnections(Number(port))).toBe(1000);
	for (const socket of sockets) {
		socket.destroy();
	}

	await close();
});

test('a request that is not HTTP gets 400, and the server keeps running', async () => {
	const {url} = await serve();
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
	socket.end('\x16\x03\x01 garbage\r\n\r\n');
	const [data] = await once(socket, 'data');
	socket.destroy();
	expect(data).toMatch(/^HTTP\/1\.1 400 /);
	expect((await fetch(`${url}/v1/models`, {headers: bearer})).status).toBe(200);
});

test('a request for a whole URL is served only for this host', async () => {
	const {url} = await serve();
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
	socket.write('GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
	const [data] = await once(socket, 'data');
	socket.destroy();
	expect(data).toMatch(/^HTTP\/1\.1 403 /);
});

test('several cookies are separate header lines', async () => {
	const headers = new Headers([
		['set-cookie', 'a=1; Path=/'],
		['set-cookie', 'b=2; Expires=Sun, 01 Mar 2026 12:00:00 GMT'],
	]);
	const listening = await listen(async () => new Response('', {headers}));
	onTestFinished(() => listening.close());
	const response = await fetch(listening.url);
	expect(response.headers.getSetCookie()).toEqual([...headers.getSetCookie()]);
});

test.each([
	['nothing', ''],
	['headers without an end', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
	['a body that does not come', 'POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n'],
])('[21] a client that sends %s gets an error after a while, and is disconnected', async (_, sent) => {
	const listening = await listen(async request => new Response(await request.text()), {
		timeouts: {headersMs: 100, requestMs: 200, idleMs: 10_000},
	});
	onTestFinished(() => listening.close());
	const socket = connect(Number(new URL(listening.url).port), '127.0.0.1').setEncoding('utf8');
	socket.write(sent);
	const answer: string[] = [];
	socket.on('data', (data: string) => answer.push(data));
	await once(socket, 'close');
	expect(answer.join('')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"The request timed out\."/);
});

test('a large body that is rejected early closes its connection, and the next request succeeds', async () => {
	const {url} = await serve();
	const agent = new Agent({keepAlive: true, maxSockets: 1});
	onTestFinished(() => agent.destroy());
	const post = async (body: string) => {
		const headers = {...bearer, 'content-type': 'application/json', 'content-length': body.length};
		const request = httpRequest(`${url}/api/v1/org/acme/ws/main/runtimes/x/resume/y`, {method: 'POST', agent, headers});
		request.end(body);
		const [response] = await once(request, 'response');
		response.resume();
		await once(response, 'end');
		return [response.statusCode, response.headers.connection];
	};

	for (let tried = 0; tried < 5; tried += 1) {
		expect(await post('x'.repeat(2_000_000))).toEqual([404, 'close']);
		expect(await post('{}')).toEqual([404, 'keep-alive']);
	}
});

test('a body for a raw handler may take longer than one for the app', async () => {
	const raw = {
		matches: () => true,
		async respond(incoming: IncomingMessage, outgoing: ServerResponse) {
			outgoing.end(String((await buffer(incoming)).length));
		},
		upgrade: async () => undefined,
		close: () => undefined,
	};
	// Headers come at once, but a busy machine may be away in between.
	const timeouts = {headersMs: 400, requestMs: 400, idleMs: 10_000};
	const listening = await listen(async () => new Response('app'), {raw, timeouts});
	onTestFinished(() => listening.close());
	const request = httpRequest(listening.url, {method: 'POST', agent: false});
	const answered = once(request, 'response');
	for (let sent = 0; sent < 10; sent += 1) {
		request.write('x');
		await sleep(45);
	}

	request.end();
	const [response] = await answered;
	expect([response.statusCode, (await buffer(response)).toString()]).toEqual([200, '10']);
});
