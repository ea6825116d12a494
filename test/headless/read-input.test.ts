import {once} from 'node:events';
import {closeSync, createReadStream, openSync, writeFileSync} from 'node:fs';
import {connect, createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {afterEach, expect, test, vi} from 'vitest';
import {readInput, type StdinOrigin} from '../../src/headless/read-input.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type ReadOptions = Parameters<typeof readInput>[1];

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

/** Reads a pipe beside a prompt. `from` says what it is, `isWritten` whether a command writes to it. */
function besidePrompt(input: Awaited<ReturnType<typeof pipe>>, from: StdinOrigin, more: Partial<ReadOptions> = {}) {
	const [warn, doubt, onWait] = [vi.fn(), vi.fn(), vi.fn()];
	const read = readInput(input, {
		optional: true,
		warn,
		doubt,
		onWait,
		origin: () => from,
		isWritten: () => false,
		...more,
	});
	return {read, onWait, lost: () => [warn, doubt].map(({mock}) => mock.calls.map(([sentence]) => sentence))};
}

const fakeTimers = () => vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']});

test.each(['program', 'unknown'] as const)(
	'a silent pipe from: %s, is given up after 5 s beside a prompt, and said',
	async from => {
		const input = await pipe();
		fakeTimers();
		const {read, lost, onWait} = besidePrompt(input, from);
		await vi.advanceTimersByTimeAsync(4999);
		expect([lost(), onWait.mock.calls.length]).toEqual([[[], []], 1]);
		await vi.advanceTimersByTimeAsync(1);
		expect(await read).toBe('');
		expect(lost()).toEqual([['stdin stayed silent for 5 s, so the prompt is sent without it.'], []]);
	},
);

test.each([
	['a pipe that a shell made', 'command', {}],
	['a pipe that a command writes to', 'unknown', {isWritten: () => true}],
	['a pipe that the user wants to wait for', 'program', {mode: 'wait'}],
	['a pipe without a prompt', 'program', {optional: false}],
] as const)('%s is waited for as long as it takes', async (_name, from, more) => {
	const input = await pipe();
	fakeTimers();
	const {read, lost} = besidePrompt(input, from, more);
	await vi.advanceTimersByTimeAsync(3_600_000);
	input.end('late');
	expect(await read).toBe('late');
	expect(lost()).toEqual([[], []]);
});

test('a pipe is given up once the command that wrote to it is gone without closing it', async () => {
	const input = await pipe();
	fakeTimers();
	let isWritten = true;
	const {read} = besidePrompt(input, 'unknown', {isWritten: () => isWritten});
	await vi.advanceTimersByTimeAsync(60_000);
	isWritten = false;
	await vi.advanceTimersByTimeAsync(5000);
	expect(await read).toBe('');
});

const nothingCame = 'Nothing came from stdin: the answer is to the prompt alone.';
const nothingRead = 'Nothing was read from stdin, which is no pipe and no file.';

test.each([
	['command', {}, [[], [nothingCame]]],
	['program', {}, [[], []]],
	['unknown', {}, [[nothingCame], []]],
	['file', {}, [[nothingCame], []]],
	['program', {mode: 'wait'}, [[], [nothingCame]]],
	['none', {}, [[], []]],
	['none', {mode: 'wait'}, [[], [nothingRead]]],
	['folder', {}, [["stdin is a folder, which isn't read."], []]],
	['device', {}, [["stdin is a device, which isn't read."], []]],
	['command', {mode: 'ignore'}, [[], []]],
	['command', {optional: false}, [[], []]],
] as const)('an empty input that is: %s, with %j, is a loss of its kind', async (from, more, expected) => {
	const input = await pipe();
	input.end();
	const {read, lost} = besidePrompt(input, from, more);
	expect(await read).toBe('');
	expect(lost()).toEqual(expected);
});

test('text in any encoding that can be told is read, and what is replaced is said', async () => {
	const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grüße 👋\r\n', 'utf16le')]);
	const cases = [
		[utf16, 'grüße 👋\r\n', 0],
		[Buffer.from('\uFEFFa\r\nb'), 'a\r\nb', 0],
		[Buffer.from('a\0b'), 'a\0b', 0],
		[Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'caf\uFFFD', 1],
		[Buffer.from('grüße').subarray(0, 3), 'gr\uFFFD', 1],
	] as const;
	for (const [bytes, expected, losses] of cases) {
		const input = await pipe();
		input.end(bytes);
		const {read, lost} = besidePrompt(input, 'command');
		expect(await read).toBe(expected);
		expect(lost()[0]).toHaveLength(losses);
	}
});

test('binary data is refused before any request', async () => {
	const input = await pipe();
	input.end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff]));
	await expect(besidePrompt(input, 'command').read).rejects.toMatchObject({code: 'usage'});
});

test('a pipe that sent data is read to its end', async () => {
	const input = await pipe();
	fakeTimers();
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

test('a broken pipe returns what it sent, and makes the answer doubtful', async () => {
	const input = await pipe();
	const doubt = vi.fn();
	const read = readInput(input, {...silent, doubt});
	input.write('half');
	await new Promise(resolve => setImmediate(resolve));
	input.destroy(new Error('broken'));
	expect(await read).toBe('half');
	expect(doubt).toHaveBeenCalledWith('stdin broke off after 4 B (broken).', expect.any(String));
});
