import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {openChunks} from '../../src/providers/chunks.ts';
import {type Answer, collect, fakeHost, fixture, requestOf} from './replay.ts';

const vendor = {name: 'custom', label: 'The host'} as const;
const call = {url: 'https://host.test/v1/x', body: {model: 'm'}};

async function open(answer: Answer, signal = new AbortController().signal) {
	const lists = await collect(await openChunks(requestOf(fakeHost(answer).transport, {signal}), vendor, call));
	return lists.flatMap(({chunks, failure}) => {
		if (failure) {
			throw failure.error;
		}

		return chunks;
	});
}

const encode = (text: string) => new TextEncoder().encode(text);

async function* thenFails(error: unknown, ...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
	yield* pieces.map(encode);
	throw error;
}

test('the request is JSON that requests an event stream', async () => {
	const end = fakeHost({body: ''});
	await openChunks(requestOf(end.transport), vendor, {...call, headers: {'x-version': '1'}});
	expect(end.requests[0]).toMatchObject({
		method: 'POST',
		url: 'https://host.test/v1/x',
		headers: {'content-type': 'application/json', accept: 'text/event-stream', 'x-version': '1'},
	});
	expect(String(end.requests[0]?.body)).toBe('{"model":"m"}');
});

test('a model may be silent for ten minutes, before its answer and while it thinks', async () => {
	const end = fakeHost({body: ''});
	await openChunks(requestOf(end.transport), vendor, call);
	expect(end.requests[0]).toMatchObject({headersTimeoutMs: 600_000, idleTimeoutMs: 600_000});
});

test('text cut within a character is sent as JSON that strict parsers accept', async () => {
	const end = fakeHost({body: ''});
	await openChunks(requestOf(end.transport), vendor, {...call, body: {model: 'half \uD83D'}});
	expect(String(end.requests[0]?.body)).toBe(String.raw`{"model":"half \ufffd"}`);
});

test.each([
	undefined,
	'text/event-stream; charset=utf-8',
	'text/plain',
	'application/json',
	'application/octet-stream',
])('events are read with any content type: %s', async type => {
	expect(
		await open({
			headers: type ? {'content-type': type} : {},
			body: '\uFEFF\n: hi\n\ndata: {"a":1}\n\ndata: [DONE]\n\n',
		}),
	).toEqual([{a: 1}, '[DONE]']);
});

test('data that is not an object is ignored', async () => {
	expect(await open({body: 'data: ping\n\ndata: 1\n\ndata: []\n\ndata:\n\ndata: {"a":1}\n\n'})).toEqual([{a: 1}]);
});

test("a proxy's page is reported as such, with any status", async () => {
	await expect(open({body: fixture('proxy.html'), headers: {'content-type': 'text/html'}})).rejects.toMatchObject({
		code: 'network',
		message: "Couldn't reach The host: a web page answered instead.",
		hint: 'Check the base URL, and any proxy in between.',
	});
});

test('an answer that is not a stream is reported as such', async () => {
	const body = '{"type":"message","content":[{"type":"text","text":"Hi"}]}';
	await expect(open({body})).rejects.toMatchObject({
		code: 'provider',
		message: "The host didn't stream its answer.",
	});
});

test("an error with status 200 has the host's message", async () => {
	await expect(open({body: '{"error":{"message":"Out of memory"}}'})).rejects.toMatchObject({
		code: 'provider',
		message: 'The host reported an error: Out of memory',
	});
});

test.each([
	'event: error\ndata: Boom\n\n',
	'event: error\ndata: {"message":"Boom"}\n\n',
	'data: {"error":"Boom"}\n\n',
	'data: {"error":{"message":"Boom"}}\n\n',
	'data: {"type":"error","message":"Boom"}\n\n',
	'data: {"object":"error","message":"Boom"}\n\n',
])('%j is an error inside the stream', async body => {
	await expect(open({body})).rejects.toMatchObject({code: 'provider', message: 'The host reported an error: Boom'});
});

test('an error that is only a number counts', async () => {
	await expect(open({body: 'data: {"error":{"code":502,"message":""}}\n\n'})).rejects.toMatchObject({
		code: 'provider',
		message: 'The host reported an error: 502',
	});
});

test.each(['{"error":null,"a":1}', '{"error":{},"a":1}', '{"error":"","a":1}', '{"error":false,"a":1}'])(
	'%s is not an error',
	async data => {
		expect(await open({body: `data: ${data}\n\n`})).toEqual([JSON.parse(data)]);
	},
);

test('invalid JSON within a stream is an error, not a gap in the text', async () => {
	await expect(open({body: 'data: {"a":\n\ndata: {"a":1}\n\n'})).rejects.toMatchObject({
		code: 'network',
		message: 'The host sent an invalid stream.',
	});
});

test('[24] JSON that is nested too deeply is an error', async () => {
	const body = `data: {"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n\n`;
	await expect(open({body})).rejects.toMatchObject({
		code: 'network',
		message: 'The host sent JSON nested deeper than 100 levels.',
	});
});

test('the body of an error is read up to 64 KiB', async () => {
	let sent = 0;
	async function* endless() {
		for (;;) {
			sent += 1024;
			yield encode('x'.repeat(1024));
		}
	}

	await expect(open({status: 400, body: endless()})).rejects.toBeInstanceOf(AppError);
	expect(sent).toBeLessThan(100 * 1024);
});

test('an error with an unreadable body is known by its status', async () => {
	await expect(open({status: 500, body: thenFails(new Error('reset'))})).rejects.toMatchObject({
		code: 'network',
		message: 'The host is unavailable (500).',
	});
});

describe('a connection that breaks', () => {
	const reset = new TypeError('terminated');

	test.each([
		['before the first byte', []],
		['after it', ['data: {"a":1}\n\n', 'data: {"b":']],
	])('%s is a failure of the network', async (_, pieces) => {
		await expect(open({body: thenFails(reset, ...pieces)})).rejects.toMatchObject({
			code: 'network',
			message: 'The connection to The host was cut.',
			cause: reset,
		});
	});

	test("has the transport's message, if there is one", async () => {
		const explained = new AppError('network', 'The host stopped in the middle of its answer.');
		await expect(open({body: thenFails(explained, 'data: {"a":1}\n\n')})).rejects.toBe(explained);
	});

	test("by an abort throws the transport's error", async () => {
		const controller = new AbortController();
		const abort = new DOMException('Stopped.', 'AbortError');
		const body = (async function* () {
			yield encode('data: {"a":1}\n\n');
			controller.abort();
			throw abort;
		})();
		await expect(open({body}, controller.signal)).rejects.toBe(abort);
	});
});
