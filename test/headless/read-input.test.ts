import {once} from 'node:events';
import {closeSync, createReadStream, openSync, writeFileSync} from 'node:fs';
import {connect, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {afterEach, expect, test, vi} from 'vitest';
import {readInput} from '../../src/headless/read-input.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const closers: Array<() => void> = [];

afterEach(() => {
	vi.useRealTimers();
	for (const close of closers.splice(0)) {
		close();
	}
});

const silent = {optional: false, warn: () => undefined};

/** Returns a pipe as stdin: a stream, and the descriptor of a real socket, which `readInput` checks. */
async function pipe() {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
	const [[far], near] = await Promise.all([once(server, 'connection'), connected(port)]);
	closers.push(
		() => server.close(),
		() => near.destroy(),
		() => far.destroy(),
	);
	const handle = Reflect.get(near, '_handle');
	return Object.assign(new PassThrough(), {fd: Number(Reflect.get(handle, 'fd'))});
}

async function connected(port: number): Promise<Socket> {
	const socket = connect(port, '127.0.0.1');
	await once(socket, 'connect');
	return socket;
}

function file(text: string) {
	const path = join(temporaryFolder(), 'input.txt');
	writeFileSync(path, text);
	// The stream closes its own descriptor.
	const fd = openSync(path, 'r');
	return Object.assign(createReadStream(path, {fd}), {fd});
}

test('a terminal is not read as input', async () => {
	const input = Object.assign(new PassThrough(), {isTTY: true, fd: 0});
	expect(await readInput(input, silent)).toBe('');
});

test('only a pipe, file or socket is read as input', async () => {
	const fd = openSync('/dev/null', 'r');
	closers.push(() => closeSync(fd));
	expect(await readInput(Object.assign(new PassThrough(), {fd}), silent)).toBe('');
	expect(await readInput(Object.assign(new PassThrough(), {fd: 9999}), silent)).toBe('');
});

test('a pipe in any pieces is read to its end', async () => {
	const input = await pipe();
	const bytes = Buffer.from('\uFEFFgrüße 👋\n');
	for (const byte of bytes) {
		input.write(Buffer.from([byte]));
	}

	input.end();
	expect(await readInput(input, silent)).toBe('grüße 👋\n');
});

test('a file is read to its end', async () => {
	expect(await readInput(file('line\n'), silent)).toBe('line\n');
	expect(await readInput(file(''), silent)).toBe('');
});

test('a silent pipe is ignored with a note if there is a prompt', async () => {
	const input = await pipe();
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	const warn = vi.fn();
	const read = readInput(input, {optional: true, warn});
	await vi.advanceTimersByTimeAsync(1500);
	expect(await read).toBe('');
	expect(warn.mock.calls).toEqual([['No data on stdin; continuing with the prompt alone.']]);
});

test('a pipe that sent data is read to its end', async () => {
	const input = await pipe();
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	const warn = vi.fn();
	const read = readInput(input, {optional: true, warn});
	input.write('first ');
	await vi.advanceTimersByTimeAsync(60_000);
	input.end('second');
	expect(await read).toBe('first second');
	expect(warn).not.toHaveBeenCalled();
});

test('more than 16 MB is refused [21]', async () => {
	const input = await pipe();
	const read = readInput(input, silent);
	input.write(Buffer.alloc(16 * 1024 * 1024));
	input.write('x');
	await expect(read).rejects.toMatchObject({code: 'usage', message: 'stdin is longer than 16 MB.'});
});

test('a broken pipe returns what it sent', async () => {
	const input = await pipe();
	const read = readInput(input, silent);
	input.write('half');
	await new Promise(resolve => setImmediate(resolve));
	input.destroy(new Error('broken'));
	expect(await read).toBe('half');
});
