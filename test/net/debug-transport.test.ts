import {expect, test} from 'vitest';
import {type DebugEntry, debugUrl} from '../../src/core/debug.ts';
import {AppError} from '../../src/core/error.ts';
import {withDebug} from '../../src/net/debug-transport.ts';
import type {Transport} from '../../src/net/transport.ts';

/** Returns a transport whose body ends with `failure`, if one is given, and the entries that are written for it. */
function logged(chunks: readonly string[], failure?: Error) {
	const entries: DebugEntry[] = [];
	let time = 0;
	const far: Transport = async () => ({
		status: 200,
		headers: {},
		body: (async function* () {
			for (const chunk of chunks) {
				time += 10;
				yield new TextEncoder().encode(chunk);
			}

			if (failure) {
				throw failure;
			}
		})(),
	});
	const transport = withDebug(
		far,
		entry => entries.push(entry),
		() => time,
	);
	return {transport, entries};
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
	for await (const _ of body) {
		// Only its end matters.
	}
}

const request = {method: 'POST', url: 'https://ada:secret@host.example/v1/chat?key=AIza-secret&alt=sse#part'} as const;

test('a request is one entry, written when its body has ended', async () => {
	const {transport, entries} = logged(['12345', '678']);
	const {body} = await transport({...request, body: 'a prompt'});
	expect(entries).toEqual([]);
	await drain(body);
	expect(entries).toEqual([
		{
			kind: 'request',
			method: 'POST',
			url: 'https://host.example/v1/chat?key=***&alt=***',
			status: 200,
			durationMs: 20,
			bytes: 8,
		},
	]);
});

test('a body that breaks is an entry with the code of its cause', async () => {
	const cause = Object.assign(new Error('a message with sk-secret'), {code: 'ECONNRESET'});
	const {transport, entries} = logged(['12'], new AppError('network', 'It broke with sk-secret.', {cause}));
	const {body} = await transport(request);
	await expect(drain(body)).rejects.toThrow('It broke');
	expect(entries).toMatchObject([{status: 200, bytes: 2, error: 'ECONNRESET'}]);
});

test('a body that is not read to its end is an entry with the bytes that were read', async () => {
	const {transport, entries} = logged(['12', '34', '56']);
	for await (const _ of (await transport(request)).body) {
		break;
	}

	expect(entries).toMatchObject([{status: 200, bytes: 2}]);
});

test.each([
	['an error of the network', new AppError('network', 'sk-secret'), 'network'],
	['an abort', new DOMException('sk-secret', 'AbortError'), 'aborted'],
	['a bug', new TypeError('sk-secret'), 'bug'],
])('a request without a response says that it met %s, and no message', async (_, failure, code) => {
	const entries: DebugEntry[] = [];
	const transport = withDebug(
		() => Promise.reject(failure),
		entry => entries.push(entry),
	);
	await expect(transport(request)).rejects.toBe(failure);
	expect(entries).toMatchObject([{status: undefined, bytes: 0, error: code}]);
	expect(JSON.stringify(entries)).not.toContain('sk-secret');
});

test.each([
	['https://host.example', 'https://host.example/'],
	['http://127.0.0.1:8700/a/b?x=1&x=2', 'http://127.0.0.1:8700/a/b?x=***&x=***'],
	['https://u:p@[::1]/?%26=1', 'https://[::1]/?%26=***'],
])('the logged form of %s is %s', (url, shown) => {
	expect(debugUrl(url)).toBe(shown);
});
