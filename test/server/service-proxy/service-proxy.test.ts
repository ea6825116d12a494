import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {type IncomingMessage, request} from 'node:http';
import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, onTestFinished, test} from 'vitest';
import {eventually} from '../sandboxes/sandbox.ts';
import {ask, open, sendBytes, serveProxied, withServices} from './proxied.ts';

const handshake = (path: string, host: string, headers: string) =>
	`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n\r\n`;

test('requests, large bodies, events and WebSockets stream through to a service', async () => {
	const {ask: askService, base, url, key, port} = await withServices();

	const body = randomBytes(3 * 1024 * 1024);
	const echoed = await askService(`${base}/some/path?x=1&y=%2F`, {method: 'PUT', body});
	expect([echoed.status, JSON.parse(echoed.body)]).toMatchObject([
		200,
		{
			method: 'PUT',
			url: '/some/path?x=1&y=%2F',
			bytes: body.length,
			sha256: createHash('sha256').update(body).digest('hex'),
			rawHeaders: expect.arrayContaining(['host', `127.0.0.1:${port}`, 'x-forwarded-prefix', base]),
		},
	]);

	const events = await open(url, `${base}/events`, {headers: key});
	let streamed = '';
	events.response.setEncoding('utf8').on('data', chunk => {
		streamed += chunk;
	});
	await eventually(() => streamed === 'data: first\n\n');
	expect(events.response.headers['x-accel-buffering']).toBe('no');
	expect((await askService(`${base}/next`)).body).toBe('sent');
	await eventually(() => streamed === 'data: first\n\ndata: second\n\n');

	const {host} = new URL(url);
	const bearer = `Authorization: ${key.authorization}`;
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	let received = '';
	socket.on('data', chunk => {
		received += chunk;
	});
	socket.write(`${handshake(`${base}/socket`, host, bearer)}early`);
	await eventually(() => received.endsWith('helloearly'));
	socket.write('more');
	await eventually(() => received.endsWith('helloearlymore'));
	expect(received.split('\r\n\r\n')[0]?.toLowerCase().split('\r\n')).toEqual([
		'http/1.1 101 switching protocols',
		'upgrade: websocket',
		'connection: upgrade',
		'sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=',
	]);

	const redirected = await askService(base);
	expect([redirected.status, redirected.headers.location]).toEqual([303, `${base}/`]);
	expect((await askService(`${base}/`, {method: 'TRACE'})).status).toBe(405);
	expect((await askService(`${base.replace(/web$/, 'other')}/`)).status).toBe(404);
});

test('a client that reads slowly slows the service down, and one that leaves ends its request', async () => {
	const {url, base, key, ask: askService} = await withServices();
	const bytes = 512 * 1024 * 1024;
	const {response, outgoing} = await open(url, `${base}/big?bytes=${bytes}`, {headers: key});
	const produced = async () => Number((await askService(`${base}/produced`)).body);
	/** Waits until the service produces no more, and returns how much it did. */
	const steady = async () => {
		let before = 0;
		await eventually(async () => {
			const last = before;
			before = await produced();
			return before === last && before > 0;
		});
		return before;
	};
	// What the buffers of four sockets hold; the rest waits in the service.
	expect(await steady()).toBeLessThan(64 * 1024 * 1024);

	const used = process.memoryUsage().arrayBuffers;
	let read = 0;
	let highest = used;
	for await (const chunk of response) {
		read += chunk.length;
		highest = Math.max(highest, process.memoryUsage().arrayBuffers);
		if (read > bytes / 4) {
			break;
		}
	}

	expect(highest - used).toBeLessThan(64 * 1024 * 1024);
	outgoing.destroy();
	expect(await steady()).toBeLessThan(bytes);
});

test('[21] a sandbox has a limited number of open connections', async () => {
	const {url, base, key, ask: askService} = await withServices({maxConnections: 2});
	const streams = await Promise.all([1, 2].map(() => open(url, `${base}/events`, {headers: key})));
	expect(await askService(`${base}/echo`)).toMatchObject({
		status: 429,
		headers: {'retry-after': '1'},
		body: expect.stringContaining('The sandbox has 2 open connections.'),
	});
	streams[0]?.outgoing.destroy();
	await eventually(async () => (await askService(`${base}/echo`)).status === 200);
});

test('a request for another protocol than WebSocket is answered as if it asked for none', async () => {
	const {url, base, key} = await withServices();
	const {host} = new URL(url);
	const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
	const asked = (path: string) =>
		sendBytes(
			url,
			`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}Authorization: ${key.authorization}\r\nContent-Length: 4\r\n\r\nbody` +
				`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
		);
	const service = await asked(`${base}/echo`);
	expect(service).toMatch(/^HTTP\/1\.1 200 OK.*"bytes":4.*HTTP\/1\.1 200 OK.*"status":"ok"/s);
	expect(service).not.toMatch(/http2-settings|h2c/i);
	expect(await asked('/api/v1/nowhere')).toMatch(/^HTTP\/1\.1 404 Not Found/);
	// WebSocket is for services alone.
	expect(await sendBytes(url, handshake('/healthz', host, 'Connection: close'))).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('an ended and a paused sandbox, and a service that does not listen, are told apart', async () => {
	const {server, base, ask: askService, id} = await withServices();
	const change = (state: 'paused' | 'ready') => server.database.updateTable('environments').set({state}).execute();
	await change('paused');
	expect([(await askService(`${base}/`)).status, (await askService(`${base}/`)).body]).toEqual([
		409,
		expect.stringContaining('The sandbox is paused.'),
	]);
	await change('ready');
	const row = await server.database.selectFrom('environments').selectAll().executeTakeFirstOrThrow();
	const urls = {...JSON.parse(row.service_urls), web: {url: 'http://127.0.0.1:1/', port: 1, protocol: 'http'}};
	await server.database
		.updateTable('environments')
		.set({service_urls: JSON.stringify(urls)})
		.execute();
	expect(await askService(`${base}/`)).toMatchObject({
		status: 503,
		headers: {'retry-after': '1'},
		body: expect.stringContaining('The service does not accept connections.'),
	});
	await server.database.updateTable('environments').set({state: 'torn_down'}).where('id', '=', id).execute();
	expect([(await askService(`${base}/`)).status, (await askService(`${base}/`)).body]).toEqual([
		409,
		expect.stringContaining('The sandbox has ended'),
	]);
});

test('a host for each service keeps its pages whole', async () => {
	const {server, id, token, port} = await withServices();
	const {url} = await serveProxied(server.services, {publicServices: {domain: 'localhost'}});
	const host = `${id}-web.localhost:${new URL(url).port}`;
	const cookie = `service-sandbox=${token}; theirs=1; service-8700=x`;
	const set = ['a=b; Domain=localhost; Path=/', 'service-sandbox=x', '__Host-c=d; Path=/; Secure'];
	const wanted = JSON.stringify({
		headers: [...set.map(each => ['set-cookie', each]), ['location', '/in?x']],
		status: 302,
	});
	const answered = await ask(url, `/answer?with=${encodeURIComponent(wanted)}`, {headers: {host, cookie}});
	expect([answered.status, answered.headers]).toMatchObject([
		302,
		{'set-cookie': ['a=b; Path=/', '__Host-c=d; Path=/; Secure'], location: '/in?x'},
	]);
	expect(answered.headers['content-security-policy']).toBe(undefined);
	const echoed = await ask(url, '/sandboxes/x', {headers: {host, cookie, origin: `http://${host}`}});
	expect(JSON.parse(echoed.body)).toMatchObject({
		url: '/sandboxes/x',
		rawHeaders: expect.arrayContaining(['cookie', 'theirs=1', 'origin', `http://127.0.0.1:${port}`]),
	});
	expect((await ask(url, '/', {headers: {host, cookie, origin: 'http://evil.example'}})).status).toBe(403);
	expect((await ask(url, '/', {headers: {host: host.replace('web', 'none'), cookie}})).status).toBe(404);
	expect((await ask(url, '/', {headers: {host: 'evil.example', cookie}})).status).toBe(403);
});

test('the server closes with its WebSockets', async () => {
	const {url, close, base, key} = await withServices();
	const upgraded = request(`${url}${base}/socket`, {
		headers: {
			...key,
			connection: 'Upgrade',
			upgrade: 'websocket',
			'sec-websocket-version': '13',
			'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
		},
	});
	upgraded.end();
	const [, socket] = await once(upgraded, 'upgrade');
	socket.resume();
	const closed = once(socket, 'close');
	await close();
	await closed;
	expect(socket.destroyed).toBe(true);
});

test('an upload may take as long as it flows, and ends when it stalls', async () => {
	const {base, url, key} = await withServices({answerTimeoutMs: 1000});
	const upload = async (pieces: number) => {
		const {hostname, port} = new URL(url);
		const headers = {...key, host: new URL(url).host, 'transfer-encoding': 'chunked'};
		const outgoing = request({host: hostname, port, path: `${base}/`, method: 'POST', headers, agent: false});
		onTestFinished(() => void outgoing.destroy());
		const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
		for (let sent = 0; sent < pieces; sent += 1) {
			outgoing.write('x'.repeat(1000));
			await sleep(50);
		}

		return {outgoing, answered};
	};
	const flowing = await upload(30);
	flowing.outgoing.end();
	const [whole] = await flowing.answered;
	expect([whole.statusCode, JSON.parse(await text(whole)).bytes]).toEqual([200, 30_000]);
	const [cut] = await (await upload(1)).answered;
	expect(cut.statusCode).toBe(504);
	cut.resume();
});
