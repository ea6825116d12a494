import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {DebugEntry} from '../../../src/core/debug.ts';
import {createFrameLog} from '../../../src/ui/screen/frame-log.ts';

/** Returns a stream that stands for standard output. */
function terminalOutput() {
	const stream = new PassThrough().setEncoding('utf8');
	return Object.assign(stream, {columns: 80, rows: 24, isTTY: true});
}

test('each write of the screen is a frame with its bytes and its time', async () => {
	const stdout = terminalOutput();
	const entries: DebugEntry[] = [];
	const frames = createFrameLog(stdout, entry => entries.push(entry));
	frames.onRender({renderTime: 100_000});
	await new Promise<void>(resolve => {
		frames.later(() => {
			frames.output.write('größe');
			resolve();
		});
	});
	frames.output.write('x');
	expect(stdout.read()).toBe('größex');
	expect(entries).toEqual([
		{kind: 'frame', bytes: 7, durationMs: expect.any(Number)},
		{kind: 'frame', bytes: 1, durationMs: expect.any(Number)},
	]);
	const [first, second] = entries.map(entry => (entry.kind === 'frame' ? entry.durationMs : 0));
	expect(first).toBeGreaterThanOrEqual(100_000);
	expect(second).toBeLessThan(100_000);
});

test('the logged output is the terminal in everything else', () => {
	const stdout = terminalOutput();
	const {output} = createFrameLog(stdout, () => undefined);
	expect(output).toMatchObject({columns: 80, rows: 24, isTTY: true});
	let heard = 0;
	output.on('resize', () => (heard += 1));
	stdout.emit('resize');
	expect(heard).toBe(1);
});
