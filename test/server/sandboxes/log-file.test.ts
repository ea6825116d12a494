import {mkdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {appendLine, readLogWindow} from '../../../src/server/sandboxes/log-file.ts';
import {createSupervisorLog} from '../../../src/server/sandboxes/supervisor/supervisor-log.ts';
import {anyText} from '../../any-text.ts';
import {eventually, localSandboxes, temporaryFolder} from './sandbox.ts';

/** Creates a log of these bytes in segments of `size`, without the first `gone` segments. */
async function logOf(folder: string, bytes: Buffer, size: number, gone = 0): Promise<void> {
	await rm(folder, {recursive: true, force: true});
	await mkdir(folder);
	for (let start = 0, index = 0; start < bytes.length; start += size, index += 1) {
		if (index >= gone) {
			await writeFile(join(folder, `${String(start).padStart(15, '0')}.log`), bytes.subarray(start, start + size));
		}
	}
}

test('without an offset the window is the end of the log, from the start of a line', async () => {
	const folder = join(await temporaryFolder(), 'log');
	expect(await readLogWindow(folder)).toBeUndefined();
	await logOf(folder, Buffer.from('a\nb'), 1);
	expect(await readLogWindow(folder)).toEqual({text: 'a\nb', start: 0, offset: 3});

	const line = `${'x'.repeat(99)}\n`;
	const all = line.repeat(1000);
	await logOf(folder, Buffer.from(all), 30_000);
	expect(await readLogWindow(folder)).toEqual({text: line.repeat(655), start: 34_500, offset: 100_000});

	await logOf(folder, Buffer.from('é'.repeat(50_001)), 30_001);
	const window = await readLogWindow(folder);
	expect(window).toEqual({text: 'é'.repeat(32_768), start: 34_466, offset: 100_002});
});

test('of a line longer than a window, the end is shown, and its line break does not hide it', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await logOf(folder, Buffer.from(`${'é'.repeat(50_000)}\n`), 30_001);
	expect(await readLogWindow(folder)).toEqual({text: `${'é'.repeat(32_767)}\n`, start: 34_466, offset: 100_001});
});

test('with an offset the window starts there, and nothing is missing or repeated', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await logOf(folder, Buffer.from('one\ntwo\nthree\n'), 5);
	expect(await readLogWindow(folder, 4)).toEqual({text: 'two\nthree\n', start: 4, offset: 14});
	expect(await readLogWindow(folder, 14)).toEqual({text: '', start: 14, offset: 14});
});

test('an offset past the end returns the whole tail with a smaller offset: it is a new log', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await logOf(folder, Buffer.from('new\n'), 5);
	expect(await readLogWindow(folder, 5)).toEqual({text: 'new\n', start: 0, offset: 4});
	expect(await readLogWindow(folder, Number.MAX_SAFE_INTEGER)).toEqual({text: 'new\n', start: 0, offset: 4});
});

test('if the requested part is gone, the window says that it starts later', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await logOf(folder, Buffer.from('one\ntwo\nthree\n'), 4, 2);
	expect(await readLogWindow(folder, 2)).toEqual({text: 'three\n', start: 8, offset: 14});
	await logOf(folder, Buffer.from('one\ntwé\nthree\n'), 7, 1);
	expect(await readLogWindow(folder, 2)).toEqual({text: 'three\n', start: 9, offset: 15});
});

test('a character is never split, neither by the end of the log nor by an offset inside it', async () => {
	const folder = join(await temporaryFolder(), 'log');
	const bytes = Buffer.from('a😀b');
	await logOf(folder, bytes.subarray(0, 3), 2);
	expect(await readLogWindow(folder, 0)).toEqual({text: 'a', start: 0, offset: 1, bytes: bytes.subarray(0, 3)});
	await logOf(folder, bytes, 2);
	expect(await readLogWindow(folder, 1)).toEqual({text: '😀b', start: 1, offset: 6});
	for (const inside of [2, 3, 4]) {
		expect(await readLogWindow(folder, inside)).toEqual({text: '😀b', start: 1, offset: 6});
	}

	expect(await readLogWindow(folder, 5)).toEqual({text: 'b', start: 5, offset: 6});
});

test('invalid UTF-8 is shown as replaced, and counted as it is', async () => {
	const folder = join(await temporaryFolder(), 'log');
	const bytes = Buffer.from([0xff, 0x61, 0x80, 0x80, 0x0a]);
	await logOf(folder, bytes, 9);
	expect(await readLogWindow(folder, 0)).toEqual({text: '\u{FFFD}a\u{FFFD}\u{FFFD}\n', start: 0, offset: 5, bytes});
	expect(await readLogWindow(folder, 3)).toEqual({text: '\u{FFFD}\n', start: 3, offset: 5, bytes: bytes.subarray(3)});
});

test('following by offsets returns every text completely, however it is written and cut', async () => {
	const folder = join(await temporaryFolder(), 'log');
	const texts = anyText({maxLength: 60});
	await fc.assert(
		fc.asyncProperty(texts, fc.integer({min: 1, max: 9}), fc.array(fc.nat(70)), async (text, size, cuts) => {
			const bytes = Buffer.from(text);
			let seen = '';
			let offset = 0;
			for (const end of [...cuts.filter(cut => cut <= bytes.length).sort((a, b) => a - b), bytes.length]) {
				await logOf(folder, bytes.subarray(0, end), size);
				const window = await readLogWindow(folder, offset);
				expect(window?.start ?? offset).toBe(offset);
				seen += window?.text ?? '';
				offset = window?.offset ?? offset;
			}

			expect([seen, offset]).toEqual([text, bytes.length]);
		}),
		{numRuns: 25},
	);
});

test('a log over its limit loses its oldest part, and its offsets continue', async () => {
	const {provider, shell} = await localSandboxes();
	const id = await shell('seq -f %09.0f 0 1999', {limits: {logBytes: 8000}});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	const window = await provider.readLog(id, {after: 0});
	const notice = (await provider.readLog(id, {}))?.text.split('\n').at(-2);
	expect(notice).toBe('[sandbox] command ended with status 0');
	expect(window?.start).toBeGreaterThan(12_000);
	expect((window?.offset ?? 0) - (window?.start ?? 0)).toBeLessThanOrEqual(8000);
	expect(window?.text.split('\n').slice(-3)).toEqual(['000001999', notice, '']);
});

test('a line of the server is appended on a line of its own', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await appendLine(folder, 'one\ntwo');
	expect(await readLogWindow(folder)).toEqual({text: 'one two\n', start: 0, offset: 8});
	await logOf(folder, Buffer.from('one\ntwo'), 5);
	await appendLine(folder, 'three');
	expect(await readLogWindow(folder)).toEqual({text: 'one\ntwo\nthree\n', start: 0, offset: 14});
});

test('a log that is replaced faster than it is read is read all the same, and each window is what was written there', async () => {
	const folder = join(await temporaryFolder(), 'log');
	await mkdir(folder);
	const writer = createSupervisorLog({folder, segmentBytes: 64 * 1024, segments: 8});
	/** Each line is its own offset. */
	const lineAt = (offset: number) => `${String(offset).padStart(15, '0')}\n`;
	let written = 0;
	let isOver = false;
	onTestFinished(() => {
		isOver = true;
	});
	const flood = () => {
		for (let line = 0; line < 200; line += 1, written += 16) {
			writer.write(Buffer.from(lineAt(written)));
		}

		if (!isOver) {
			setImmediate(flood);
		}
	};
	flood();
	let after: number | undefined;
	for (let count = 0; count < 50; count += 1) {
		const {text, start, offset} = (await readLogWindow(folder, after)) ?? {text: '', start: -1, offset: -1};
		expect(start % 16).toBe(0);
		expect(text).toBe(Array.from({length: text.length / 16}, (_, line) => lineAt(start + line * 16)).join(''));
		expect([offset, offset > (after ?? 0)]).toEqual([start + text.length, true]);
		after = offset;
	}
});
