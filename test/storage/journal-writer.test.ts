import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {expect, onTestFinished, test, vi} from 'vitest';
import {openAppendFile, writeWhole} from '../../src/storage/append-file.ts';
import {createLineWriter} from '../../src/storage/journal-writer.ts';
import {temporaryFolder} from './temporary.ts';

test('what is beyond the good bytes was written in part and is cut off [17]', async () => {
	const path = join(temporaryFolder(), 'file');
	writeFileSync(path, 'good\nba', {mode: 0o600});
	const file = await openAppendFile(path, 5);
	await file.append(Buffer.from('next\n'), true);
	expect(file.size()).toBe(10);
	await file.close();
	expect(readFileSync(path, 'utf8')).toBe('good\nnext\n');
});

test('a short write continues with the rest', async () => {
	const written: string[] = [];
	const file = {
		write: async (bytes: Uint8Array) => {
			written.push(Buffer.from(bytes.subarray(0, 3)).toString());
			return {bytesWritten: Math.min(3, bytes.length)};
		},
	};
	await writeWhole(file, Buffer.from('abcdefgh'));
	expect(written).toEqual(['abc', 'def', 'gh']);
});

test('many lines of one turn arrive whole and in order, also while one write is under way', async () => {
	const path = join(temporaryFolder(), 'file');
	const writer = createLineWriter({path, size: undefined, onState: () => undefined});
	const lines = Array.from({length: 5000}, (_, index) => `${index} ${'x'.repeat(index % 900)}`);
	for (const [index, line] of lines.entries()) {
		writer.write(line, index % 1000 === 0);
		if (index % 500 === 0) {
			await new Promise(resolve => setImmediate(resolve));
		}
	}

	expect(await writer.close()).toEqual({saved: true});
	expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
});

test('gathered lines wait 33 ms for each other, and go out before any other line', async () => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	onTestFinished(() => void vi.useRealTimers());
	const path = join(temporaryFolder(), 'file');
	const writer = createLineWriter({path, size: undefined, onState: () => undefined});
	const turns = async () => {
		for (let turn = 0; turn < 20; turn++) {
			await new Promise(resolve => setImmediate(resolve));
		}
	};
	writer.gather('one');
	vi.advanceTimersByTime(20);
	writer.gather('two');
	await turns();
	expect(existsSync(path)).toBe(false);
	vi.advanceTimersByTime(13);
	await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\ntwo\n');
	await turns();

	writer.gather('three');
	writer.write('four', false);
	await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nfour\n');
	writer.gather('five');
	expect(await writer.close()).toEqual({saved: true});
	expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nfour\nfive\n');
	vi.advanceTimersByTime(33);
	await turns();
	expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\nfour\nfive\n');
});

test('a line that comes just when the last one was written is written, too', async () => {
	const path = join(temporaryFolder(), 'file');
	const states: boolean[] = [];
	const prepare = () => {
		if (states.length === 0) {
			throw new Error('not yet');
		}
	};
	const writer = createLineWriter({
		...{path, size: undefined, prepare},
		onState({saved}) {
			states.push(saved);
			if (saved) {
				writer.write('three', true);
			}
		},
	});
	onTestFinished(() => writer.close().then(() => undefined));
	writer.write('one', true);
	await expect.poll(() => states).toEqual([false]);
	writer.write('two', true);
	await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
});

test('who waits for lines waits for those so far, and for no line that comes later', async () => {
	const path = join(temporaryFolder(), 'file');
	const writer = createLineWriter({path, size: undefined, onState: () => undefined});
	onTestFinished(() => writer.close().then(() => undefined));
	let isAsking = true;
	// A sub-agent beside, that writes without an end.
	const chatter = (index: number): void => {
		if (isAsking) {
			writer.write(`chatter ${index}`, true);
			setImmediate(chatter, index + 1);
		}
	};
	chatter(0);
	writer.gather('piece');
	writer.write('prompt', true);
	await writer.settle();
	isAsking = false;
	expect(readFileSync(path, 'utf8')).toMatch(/^piece\nprompt$/m);
});

test('a disk that takes over a second is said, and not waited for after a line is in the file [19]', async () => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	onTestFinished(() => void vi.useRealTimers());
	const path = join(temporaryFolder(), 'file');
	const states: string[] = [];
	let letGo = () => {};
	const writer = createLineWriter({
		...{path, size: undefined},
		note: () =>
			new Promise(resolve => {
				letGo = resolve;
			}),
		onState: state => states.push(state.saved ? 'saved' : state.reason),
	});
	onTestFinished(async () => {
		letGo();
		await writer.close();
	});
	writer.write('one', true);
	const isSettled = vi.fn();
	void writer.settle().then(isSettled);
	await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toBe('one\n');
	await expect
		.poll(async () => {
			await vi.advanceTimersByTimeAsync(5);
			return isSettled.mock.calls.length;
		})
		.toBe(1);
	expect(states).toEqual([]);
	await vi.advanceTimersByTimeAsync(1000);
	expect(states).toEqual(['the disk is slow']);
	writer.write('two', true);
	await writer.settle();
	letGo();
	expect(await writer.flush()).toEqual({saved: true});
	expect(states).toEqual(['the disk is slow', 'saved']);
	expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});

// A limit of the process on the size of its files is the nearest to a full disk that needs no privileges.
test('a file that may grow no further is a state, and its good lines stay whole [19]', async () => {
	const folder = temporaryFolder();
	const script = join(folder, 'writer.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'full-disk-worker.ts')],
		outfile: script,
		bundle: true,
		platform: 'node',
		format: 'esm',
	});
	const path = join(folder, 'file');
	const command = `trap '' XFSZ; ulimit -f 4; exec '${process.execPath}' '${script}' '${path}'`;
	const states: unknown = JSON.parse(execFileSync('bash', ['-c', command], {encoding: 'utf8'}));
	expect(states).toEqual([
		{saved: true},
		{saved: false, reason: 'file too large'},
		{saved: false, reason: 'file too large'},
	]);
	const kept = readFileSync(path, 'utf8');
	expect(kept.split('\n')[0]).toBe('short');
});
