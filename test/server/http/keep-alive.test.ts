import {EventEmitter, once} from 'node:events';
import {connect} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {defaultTimeouts, listen} from '../../../src/server/http/listen.ts';
import {freePort} from '../../free-port.ts';
import {nginx, startNginx} from '../nginx.ts';

/** Opens a connection, which asks once more whenever it is told to. */
async function connection(url: string) {
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
	onTestFinished(() => void socket.destroy());
	await once(socket, 'connect');
	return {
		async get(): Promise<string> {
			socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
			const [text] = await once(socket, 'data');
			return text;
		},
		closed: once(socket, 'close'),
	};
}

test('a connection stays open for longer than load balancers keep an idle one', async () => {
	const {url, close} = await listen(async () => Response.json({}));
	onTestFinished(close);
	const {get} = await connection(url);
	expect(await get()).toMatch(/\r\nKeep-Alive: timeout=75\r\n/i);
});

test('the limits of a request begin with it, not with the end of the one before', async () => {
	// Long enough for a busy machine, which may be away between a connection and its headers.
	const timeouts = {...defaultTimeouts, headersMs: 400, requestMs: 400};
	const {url, close} = await listen(async () => Response.json({}), {timeouts});
	onTestFinished(close);
	const {get} = await connection(url);
	for (const _ of [1, 2, 3]) {
		expect(await get()).toMatch(/^HTTP\/1\.1 200/);
		for (let slept = 0; slept < 10; slept++) {
			await sleep(45);
		}
	}
});

test('a shorter time than the default is kept', async () => {
	const {url, close} = await listen(async () => Response.json({}), {keepAliveMs: 1000});
	onTestFinished(close);
	const {get, closed} = await connection(url);
	expect(await get()).toMatch(/\r\nKeep-Alive: timeout=1\r\n/i);
	await closed;
});

describe.skipIf(!nginx)('behind nginx, which keeps its connections', () => {
	/** A server behind nginx, with the ports that nginx used on its side. */
	async function balanced() {
		const held = new EventEmitter();
		const [arrived, finished] = [once(held, 'arrived'), once(held, 'finished')];
		const {url, close} = await listen(async request => {
			if (new URL(request.url).pathname === '/held') {
				held.emit('arrived');
				await finished;
			}

			return Response.json({});
		});
		onTestFinished(close);
		const port = await freePort();
		await startNginx(
			`upstream service { server ${new URL(url).host}; keepalive 4; keepalive_timeout 60s; }
			server {
				listen 127.0.0.1:${port};
				location / {
					proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
					add_header X-Upstream $upstream_status always;
				}
			}`,
			port,
		);
		return {url: `http://127.0.0.1:${port}`, close, arrived, finish: () => held.emit('finished')};
	}

	test('many requests in a row get no 502', async () => {
		const {url} = await balanced();
		const statuses: number[] = [];
		for (let count = 0; count < 30; count++) {
			const response = await fetch(url, {method: 'POST', body: '{}'});
			await response.text();
			statuses.push(response.status);
			await sleep(count % 3 === 0 ? 20 : 0);
		}

		expect(new Set(statuses)).toEqual(new Set([200]));
	});

	test('a server that stops answers what it has, and says that the connection ends', async () => {
		const {url, close, arrived, finish} = await balanced();
		await (await fetch(url)).text();
		const held = fetch(`${url}/held`);
		await arrived;
		const closing = close();
		finish();
		expect((await held).status).toBe(200);
		await closing;
	});
});
