import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {type Duplex, PassThrough} from 'node:stream';
import {describe, expect, onTestFinished, test} from 'vitest';
import {acceptConnections} from '../../../src/server/egress/multiplex.ts';
import {frameKinds, relayCommand} from '../../../src/server/egress/relay-script.ts';
import {freePort} from '../../../src/server/sandboxes/ports.ts';
import {eventually, temporaryFolder} from '../sandboxes/sandbox.ts';

/** Returns the real program of a language; undefined where it isn't installed. */
function find(tool: string): string | undefined {
	if (tool === 'node') {
		return process.execPath;
	}

	try {
		return execFileSync(tool, ['-c', 'import sys; print(sys.executable)'], {encoding: 'utf8'}).trim();
	} catch {
		return undefined;
	}
}

/** Starts what runs inside a sandbox, with one language in its PATH. */
async function startRelay(program: string, onConnection: (stream: Duplex) => void, port?: number) {
	const folder = await temporaryFolder();
	const log = join(folder, 'log');
	writeFileSync(log, '');
	mkdirSync(join(folder, 'bin'));
	symlinkSync(program, join(folder, 'bin', program === process.execPath ? 'node' : 'python3'));
	const chosen = port ?? (await freePort());
	const [file = '', ...args] = relayCommand(chosen, log);
	const child = spawn(file, args, {env: {PATH: join(folder, 'bin')}, stdio: ['pipe', 'pipe', 'inherit']});
	onTestFinished(() => void child.kill('SIGKILL'));
	const link = acceptConnections(child.stdin, child.stdout, onConnection);
	onTestFinished(() => link.close());
	return {link, child, log, port: chosen};
}

const accepts = (port: number) =>
	new Promise<boolean>(resolve => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});

describe.each(['node', 'python3'])('connections from inside through a relay in %s', tool => {
	const program = find(tool);
	const reason = program === undefined ? ` (skipped: needs ${tool})` : '';

	test.skipIf(program === undefined)(
		`many at once keep their bytes, their ends and their breaks apart${reason}`,
		async () => {
			const streams: Duplex[] = [];
			const {port, link, log, child} = await startRelay(program ?? '', stream => {
				streams.push(stream);
				stream.on('error', () => undefined);
				// Answers with what came, once that has ended.
				const parts: Buffer[] = [];
				stream.on('data', part => parts.push(part)).on('end', () => stream.end(Buffer.concat(parts)));
			});
			await eventually(() => accepts(port));
			const sizes = [0, 1, 70_000, 1_000_000, 3_000_000];
			const answers = await Promise.all(
				sizes.map(
					(size, index) =>
						new Promise<boolean>(resolve => {
							const parts: Buffer[] = [];
							const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true});
							const sent = Buffer.alloc(size, String(index));
							socket.on('data', part => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).equals(sent)));
							socket.end(sent);
						}),
				),
			);
			expect(answers).toEqual(sizes.map(() => true));
			link.write('[network] refused: one');
			link.write('[network] refused: two');
			await eventually(() => readFileSync(log, 'utf8') === '[network] refused: one\n[network] refused: two\n');
			// A break on either side reaches the other one.
			const socket = connect(port, '127.0.0.1');
			await eventually(() => streams.length > sizes.length + 1);
			const broken = new Promise(resolve => socket.once('close', resolve).once('error', () => undefined));
			streams.at(-1)?.destroy();
			await broken;
			link.close();
			expect(await link.ended.catch(() => 'closed')).toBe('closed');
			await eventually(() => child.exitCode !== null || child.signalCode !== null);
		},
	);

	test.skipIf(program === undefined)(`whoever reads slowly lets the other side wait${reason}`, async () => {
		const streams: Duplex[] = [];
		const {port} = await startRelay(program ?? '', opened => {
			opened.on('error', () => undefined);
			streams.push(opened);
		});
		await eventually(() => accepts(port));
		const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true}).on('error', () => undefined);
		const size = 30_000_000;
		socket.end(Buffer.alloc(size, 'x'));
		await eventually(() => streams.some(({readableLength}) => readableLength >= 128 * 1024));
		const stream = streams.find(({readableLength}) => readableLength > 0);
		expect(stream?.readableLength).toBeLessThanOrEqual(192 * 1024);
		let got = 0;
		stream?.on('data', part => {
			got += part.length;
		});
		await eventually(() => got === size);
	});

	test.skipIf(program === undefined)(`a second one for the same port says that it is busy${reason}`, async () => {
		const first = await startRelay(program ?? '', () => undefined);
		await eventually(() => accepts(first.port));
		const second = await startRelay(program ?? '', () => undefined, first.port);
		expect(await second.link.ended).toBe('busy');
	});
});

const frame = (kind: number, number: number, payload = Buffer.alloc(0), length = payload.length) => {
	const header = Buffer.alloc(9);
	header[0] = kind;
	header.writeUInt32BE(number, 1);
	header.writeUInt32BE(length, 5);
	return Buffer.concat([header, payload]);
};

test.each([
	['a frame that is too long', [frame(frameKinds.data, 1, Buffer.alloc(0), 0xff_ff_ff_ff)]],
	['a number that was not opened', [frame(frameKinds.data, 7, Buffer.from('x'))]],
	['a number that is open', [frame(frameKinds.open, 1), frame(frameKinds.open, 1)]],
	['a kind that there is not', [frame(frameKinds.open, 1), frame(99, 1)]],
	[
		'more bytes than its window',
		[frame(frameKinds.open, 1), ...Array.from({length: 4}, () => frame(frameKinds.data, 1, Buffer.alloc(65_536)))],
	],
	['more passed on than it got', [frame(frameKinds.open, 1), frame(frameKinds.passed, 1, Buffer.from([0, 0, 0, 1]))]],
	['a count of another length', [frame(frameKinds.open, 1), frame(frameKinds.passed, 1, Buffer.from('x'))]],
])('[15] a sandbox that sends %s loses all its connections, and nothing else', async (_what, frames) => {
	const streams: Duplex[] = [];
	const output = new PassThrough();
	const link = acceptConnections(new PassThrough().resume(), output, stream => {
		stream.on('error', () => undefined);
		streams.push(stream);
	});
	const ended = link.ended.then(
		() => 'ended',
		error => error.code,
	);
	for (const each of frames) {
		output.write(each);
	}

	expect(await ended).toBe('network');
	expect(streams.every(({destroyed}) => destroyed)).toBe(true);
});

test('bytes after an end, opens beyond the limit and a program that never reads are bounded', async () => {
	const streams: Duplex[] = [];
	const output = new PassThrough();
	const input = new PassThrough();
	const link = acceptConnections(input, output, stream => {
		stream.on('error', () => stream.destroy());
		streams.push(stream);
	});
	for (let number = 1; number <= 200; number += 1) {
		output.write(frame(frameKinds.open, number));
	}

	output.write(frame(frameKinds.end, 1));
	output.write(frame(frameKinds.data, 1, Buffer.from('late')));
	output.end();
	expect(await link.ended).toBe('closed');
	expect(streams).toHaveLength(128);
	expect(input.readableLength + input.writableLength).toBeLessThan(10_000);
});
