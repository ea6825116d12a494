import {once} from 'node:events';
import {createServer} from 'node:http';
import type {LookupFunction, Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {readText} from '../../src/net/read-body.ts';
import {openRestedPool} from '../../src/net/rested-pool.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer, socketServer} from './servers.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

test.each(['end', 'resetAndDestroy'] as const)(
	'a connection that the server closed while it was idle (%s) is not used again, also for a POST',
	async close => {
		let sockets: Socket[] = [];
		const origin = await socketServer(socket => {
			sockets.push(socket);
			socket.on('data', () => socket.write(answer));
		});
		const send = createTransport({userAgent: 'service/test'});
		atEnd(() => void send.close());
		for (const method of ['POST', 'GET', 'POST'] as const) {
			expect(await readText(await send({method, url: origin, ...(method === 'POST' && {body: '{}'})}))).toBe('ok');
			const closing = sockets.map(socket => once(socket, 'close'));
			sockets.map(socket => socket[close]());
			sockets = [];
			await Promise.all(closing);
			await sleep(20);
		}
	},
);

/** A server that answers the first request of each connection, and breaks the connection off at the next one. */
async function breaking() {
	let requests = 0;
	const origin = await socketServer(socket => {
		let answers = 0;
		socket.on('data', () => {
			requests++;
			if (answers++ === 0) {
				socket.write(answer);
			} else {
				socket.destroy();
			}
		});
	});
	const send = createTransport({userAgent: 'service/test'});
	atEnd(() => void send.close());
	return {
		requests: () => requests,
		ask: async (method: 'GET' | 'POST') => {
			const text = await readText(await send({method, url: origin, ...(method === 'POST' && {body: '{}'})}));
			// The connection is idle once its response was read.
			await sleep(20);
			return text;
		},
	};
}

test('[23] a GET that meets the end of an idle connection is sent once more on a new one', async () => {
	const {ask, requests} = await breaking();
	expect([await ask('GET'), await ask('GET'), requests()]).toEqual(['ok', 'ok', 3]);
});

test('[23] a POST that meets the end of an idle connection is not sent twice', async () => {
	const {ask, requests} = await breaking();
	expect(await ask('GET')).toBe('ok');
	await expect(ask('POST')).rejects.toMatchObject({code: 'network'});
	expect(requests()).toBe(2);
});

test('[23] a server that answers nothing gets a GET once', async () => {
	let requests = 0;
	const origin = await socketServer(socket => {
		socket.on('data', () => {
			requests++;
			socket.destroy();
		});
	});
	const send = createTransport({userAgent: 'service/test'});
	atEnd(() => void send.close());
	await expect(send({method: 'GET', url: origin})).rejects.toMatchObject({code: 'network'});
	await expect(send({method: 'GET', url: origin})).rejects.toMatchObject({code: 'network'});
	expect(requests).toBe(2);
});

/** A pool whose clock the test moves, and connections that fall silent when it says so, as behind a router after a sleep. */
async function sleeper() {
	let now = 0;
	let isAsleep = false;
	let connections = 0;
	const origin = await socketServer(socket => {
		connections++;
		const wasAsleep = isAsleep;
		socket.on('data', () => (isAsleep === wasAsleep ? socket.write(answer) : undefined));
	});
	const pool = await openRestedPool({env: {}, connectTimeoutMs: 1000}, () => now);
	atEnd(() => void pool.close());
	const ask = async () => {
		const {body} = await pool.request({origin, path: '/', method: 'POST', body: '{}', headersTimeout: 2000});
		const text = await body.text();
		// The connection is idle once its response was read.
		await sleep(20);
		return text;
	};
	return {
		ask,
		connections: () => connections,
		pass: (milliseconds: number) => {
			now += milliseconds;
		},
		fallAsleep: () => {
			isAsleep = true;
		},
	};
}

test('after a sleep a request doesn’t wait for a connection that the network has forgotten', async () => {
	const {ask, connections, pass, fallAsleep} = await sleeper();
	expect([await ask(), await ask(), connections()]).toEqual(['ok', 'ok', 1]);
	fallAsleep();
	pass(3_600_000);
	expect([await ask(), await ask(), connections()]).toEqual(['ok', 'ok', 2]);
});

test('a short rest keeps the connection, and requests at once after a long one share the new pool', async () => {
	const {ask, connections, pass} = await sleeper();
	await ask();
	pass(59_000);
	await ask();
	expect(connections()).toBe(1);
	pass(61_000);
	await Promise.all([ask(), ask(), ask()]);
	expect(connections()).toBeLessThanOrEqual(4);
});

test('what is in progress during a rest goes on', async () => {
	let finish = () => {};
	const {origin} = await httpServer((request, response) => {
		if (request.url === '/long') {
			response.write('one ');
			finish = () => response.end('two');
		} else {
			response.end('ok');
		}
	});
	let now = 0;
	const pool = await openRestedPool({env: {}, connectTimeoutMs: 1000}, () => now);
	atEnd(() => void pool.close());
	const long = await pool.request({origin, path: '/long', method: 'GET'});
	now += 120_000;
	const other = await pool.request({origin, path: '/', method: 'GET'});
	expect(await other.body.text()).toBe('ok');
	finish();
	expect(await long.body.text()).toBe('one two');
});

/** Two servers at one port of two addresses of this machine, and a name that leads to the first. */
async function moving() {
	const first = createServer((_, response) => response.end('first')).listen(0, '127.0.0.1');
	await once(first, 'listening');
	const address = first.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	const second = createServer((_, response) => response.end('second')).listen(port, '127.0.0.2');
	await once(second, 'listening');
	atEnd(() => {
		for (const server of [first, second]) {
			server.close();
			server.closeAllConnections();
		}
	});
	let to = '127.0.0.1';
	let now = 0;
	const lookup: LookupFunction = (_, options, callback) =>
		options.all ? callback(null, [{address: to, family: 4}]) : callback(null, to, 4);
	const pool = await openRestedPool({env: {}, connectTimeoutMs: 1000, lookup}, () => now);
	atEnd(() => void pool.close());
	return {
		first,
		move: () => {
			to = '127.0.0.2';
		},
		rest: () => {
			now += 61_000;
		},
		ask: async () => {
			const {body} = await pool.request({origin: `http://moving.test:${port}`, path: '/', method: 'GET'});
			return body.text();
		},
	};
}

test.skipIf(process.platform !== 'linux')(
	'a name that leads to another address is followed when the old one closes',
	async () => {
		const {first, move, ask} = await moving();
		expect(await ask()).toBe('first');
		move();
		first.close();
		first.closeAllConnections();
		await sleep(20);
		expect(await ask()).toBe('second');
	},
);

test.skipIf(process.platform !== 'linux')(
	'a name that leads to another address is followed after a rest, though the old one lives',
	async () => {
		const {move, rest, ask} = await moving();
		expect(await ask()).toBe('first');
		move();
		rest();
		expect(await ask()).toBe('second');
	},
);
