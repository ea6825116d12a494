import {brotliCompressSync, constants, createGzip, gzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {isAbort} from '../../src/core/error.ts';
import {readText} from '../../src/net/read-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer, socketServer} from './servers.ts';

function transport(options: Partial<Parameters<typeof createTransport>[0]> = {}) {
	const made = createTransport({userAgent: 'service/test', ...options});
	atEnd(() => void made.close());
	return made;
}

test('an address where nothing listens is named', async () => {
	const port = 9;
	await expect(transport()({method: 'GET', url: `http://127.0.0.1:${port}/x`})).rejects.toMatchObject({
		name: 'AppError',
		code: 'network',
		message: 'Nothing is listening on http://127.0.0.1:9.',
		hint: 'Check the address, and that the server is running.',
	});
});

test('a host that does not exist is named', async () => {
	// Reserved for this (RFC 2606); without any network the look-up fails in another way.
	await expect(transport()({method: 'GET', url: 'https://no-such-host.invalid'})).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/^Can't resolve no-such-host\.invalid/),
	});
});

test('a connection or handshake that takes too long is a timeout [21]', async () => {
	const origin = (await socketServer(() => undefined)).replace('http:', 'https:');
	await expect(transport({connectTimeoutMs: 60})({method: 'GET', url: origin})).rejects.toMatchObject({
		code: 'network',
		message: `Timed out connecting to ${origin}.`,
	});
});

test('a response that takes too long to begin is a timeout [21]', async () => {
	const server = await httpServer(() => undefined);
	const request = {method: 'POST', url: server.origin, body: '{}'} as const;
	const message = `Timed out waiting for ${server.origin}.`;
	await expect(transport({headersTimeoutMs: 60})(request)).rejects.toMatchObject({code: 'network', message});
	await expect(transport()({...request, headersTimeoutMs: 60})).rejects.toMatchObject({code: 'network', message});
});

test('a response that pauses too long is a timeout, after what came so far [21]', async () => {
	const server = await httpServer((_, response) => void response.write('half'));
	const {body} = await transport({idleTimeoutMs: 60})({method: 'GET', url: server.origin});
	const texts: string[] = [];
	const read = async () => {
		for await (const chunk of body) {
			texts.push(Buffer.from(chunk).toString());
		}
	};
	await expect(read()).rejects.toMatchObject({
		code: 'network',
		message: `${server.origin} stopped responding.`,
	});
	expect(texts).toEqual(['half']);
});

test.each([
	['chunked', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
	['of known length', 'Content-Length: 9\r\n\r\nhalf'],
])('a body %s that breaks in the middle is an error, never a short answer', async (_, rest) => {
	const origin = await socketServer(socket => {
		socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
	});
	const answer = await transport()({method: 'GET', url: origin});
	await expect(readText(answer)).rejects.toMatchObject({
		code: 'network',
		message: `The connection to ${origin} was closed before the response was complete.`,
	});
});

test('a body that breaks before it is read does not end the program', async () => {
	const origin = await socketServer(socket => {
		socket.once('data', () => {
			socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', () => socket.destroy());
		});
	});
	const answer = await transport()({method: 'GET', url: origin});
	await new Promise(resolve => setTimeout(resolve, 30));
	await expect(readText(answer)).rejects.toMatchObject({code: 'network'});
});

test.each([
	['closes at once', '', 'was closed before the response was complete'],
	['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', "doesn't speak HTTP"],
])('a server that %s is told apart', async (_, text, message) => {
	const origin = await socketServer(socket => {
		socket.once('data', () => socket.end(text));
	});
	await expect(transport()({method: 'GET', url: origin})).rejects.toThrow(message);
});

test('an abort is thrown as it is, before, during and after the wait for a response', async () => {
	const server = await httpServer((request, response) => {
		if (request.url === '/body') {
			response.write('half');
		}
	});
	const send = transport();
	const failure = async (run: Promise<unknown>) => run.then(() => 'nothing', isAbort);
	expect(await failure(send({method: 'GET', url: server.origin, signal: AbortSignal.abort()}))).toBe(true);
	expect(server.seen).toEqual([]);

	const waiting = new AbortController();
	const sent = failure(send({method: 'GET', url: server.origin, signal: waiting.signal}));
	setTimeout(() => waiting.abort(), 20);
	expect(await sent).toBe(true);

	const reading = new AbortController();
	const answer = await send({method: 'GET', url: `${server.origin}/body`, signal: reading.signal});
	const read = failure(readText(answer));
	reading.abort(new Error('whatever the reason'));
	expect(await read).toBe(true);

	const timed = send({method: 'GET', url: server.origin, signal: AbortSignal.timeout(20)});
	await expect(timed).rejects.toMatchObject({code: 'network', message: `Timed out waiting for ${server.origin}.`});
});

test('ending the iteration early closes the connection', async () => {
	let closed: () => void = () => undefined;
	const end = new Promise<void>(resolve => {
		closed = resolve;
	});
	const server = await httpServer((_, response) => {
		response.on('close', () => closed());
		response.write('one');
	});
	const answer = await transport()({method: 'GET', url: server.origin});
	for await (const chunk of answer.body) {
		expect(Buffer.from(chunk).toString()).toBe('one');
		break;
	}

	await end;
});

test('close ends open connections', async () => {
	const server = await httpServer((_, response) => void response.write('half'));
	const send = transport();
	const read = readText(await send({method: 'GET', url: server.origin}));
	const failed = expect(read).rejects.toMatchObject({code: 'network'});
	await send.close();
	await failed;
});

test('gzip and brotli are decompressed chunk by chunk', async () => {
	const server = await httpServer((request, response) => {
		if (request.url === '/stream') {
			response.writeHead(200, {'content-encoding': 'gzip'});
			const gzip = createGzip({flush: constants.Z_SYNC_FLUSH});
			gzip.pipe(response);
			gzip.write('first ');
			response.on('close', () => gzip.destroy());
			return;
		}

		const encoding = request.url?.slice(1) ?? '';
		const text = Buffer.from('hello '.repeat(1000));
		const body = encoding === 'br' ? brotliCompressSync(text) : encoding === 'gzip' ? gzipSync(text) : text;
		response.writeHead(200, {'content-encoding': encoding}).end(body);
	});
	const send = transport();
	for (const encoding of ['gzip', 'br', 'identity']) {
		const answer = await send({method: 'GET', url: `${server.origin}/${encoding}`});
		expect(await readText(answer)).toBe('hello '.repeat(1000));
	}

	const {body} = await send({method: 'GET', url: `${server.origin}/stream`});
	for await (const chunk of body) {
		expect(Buffer.from(chunk).toString()).toBe('first ');
		break;
	}
});

test('a response in an unknown or damaged compression is an error', async () => {
	const server = await httpServer((request, response) => {
		response
			.writeHead(200, {'content-encoding': request.url === '/zstd' ? 'zstd' : 'gzip'})
			.end('not compressed at all');
	});
	const send = transport();
	await expect(send({method: 'GET', url: `${server.origin}/zstd`})).rejects.toThrow(
		"compression that wasn't requested",
	);
	await expect(readText(await send({method: 'GET', url: server.origin}))).rejects.toThrow('is damaged');
});

test('a compression bomb stops at the limit [21]', async () => {
	const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
	const server = await httpServer((_, response) => response.writeHead(200, {'content-encoding': 'gzip'}).end(bomb));
	const answer = await transport()({method: 'GET', url: server.origin});
	await expect(readText(answer, {maxBytes: 1024 * 1024, from: server.origin})).rejects.toMatchObject({
		code: 'network',
		message: `${server.origin} sent more than 1.0 MB.`,
		permanent: true,
	});
});
