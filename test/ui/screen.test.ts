import {describe, expect, test} from 'vitest';
import {createScreen} from '../../src/ui/screen.ts';

const begin = '\u001B[?2026h';
const end = '\u001B[?2026l';

/** A screen over a recording output; `turn` ends a turn of the loop. */
function recordingScreen(size: {readonly columns?: number; readonly rows?: number} = {columns: 80, rows: 24}) {
	const written: string[] = [];
	let waiting: (() => void)[] = [];
	const heard: string[] = [];
	const output = {
		...size,
		isTTY: true,
		write: (data: string) => written.push(data),
		on: (event: string) => heard.push(`on ${event}`),
		off: (event: string) => heard.push(`off ${event}`),
		getColorDepth: () => 8,
	};
	const screen = createScreen(output, run => waiting.push(run));
	return {
		...screen,
		written,
		heard,
		output,
		turn() {
			const runs = waiting;
			waiting = [];
			for (const run of runs) {
				run();
			}
		},
	};
}

describe('what Ink writes', () => {
	test('in one turn leaves as one synchronized write', () => {
		const {stdout, written, turn} = recordingScreen();
		stdout.write('a');
		stdout.write(Buffer.from('ü'));
		expect(written).toEqual([]);
		turn();
		stdout.write('c');
		turn();
		turn();
		expect(written).toEqual([`${begin}aü${end}`, `${begin}c${end}`]);
	});

	test('is synchronized once, whatever Ink adds', () => {
		const {stdout, written, turn} = recordingScreen();
		stdout.write(begin);
		stdout.write('a');
		stdout.write(end);
		turn();
		expect(written).toEqual([`${begin}a${end}`]);
	});

	test('never erases the scrollback, also in pieces', () => {
		const {stdout, written, turn} = recordingScreen();
		stdout.write('a\u001B[2J\u001B[3J\u001B[Hb\u001B[');
		stdout.write('3Jc');
		turn();
		expect(written).toEqual([`${begin}a\u001B[2J\u001B[Hbc${end}`]);
	});

	test('with a callback is out when that is called, as Ink waits for it to end', () => {
		const {stdout, written, turn} = recordingScreen();
		let seen = 0;
		stdout.write('a');
		expect(stdout.write('b', () => (seen = written.length))).toBe(true);
		expect([seen, written]).toEqual([1, [`${begin}ab${end}`]]);
		stdout.write('c', 'utf8', () => (seen = written.length));
		turn();
		expect([seen, written.length]).toEqual([2, 2]);
	});
});

test('a write with a callback and nothing to write still calls back', () => {
	const {stdout, written} = recordingScreen();
	let called = false;
	stdout.write('', () => (called = true));
	expect([called, written]).toEqual([true, []]);
});

test('raw data passes unchanged, behind what was written before it', () => {
	const {stdout, raw, written, turn} = recordingScreen();
	stdout.write('a');
	raw('\u001B[3J');
	turn();
	expect(written).toEqual([`${begin}a${end}`, '\u001B[3J']);
});

test('a flush writes what waits, and nothing for nothing', () => {
	const {stdout, flush, written} = recordingScreen();
	flush();
	stdout.write('a');
	flush();
	flush();
	expect(written).toEqual([`${begin}a${end}`]);
});

test('Ink hears of another size from us alone', () => {
	const {stdout, emitResize, heard} = recordingScreen();
	let resized = 0;
	const listener = () => resized++;
	stdout.on('resize', listener);
	emitResize();
	stdout.off('resize', listener);
	emitResize();
	stdout.on('error', listener);
	expect([resized, heard]).toEqual([1, ['on error']]);
});

test.each([
	[
		{columns: 120, rows: 40},
		{columns: 120, rows: 40},
	],
	[
		{columns: 10, rows: 2},
		{columns: 20, rows: 5},
	],
	[
		{columns: 0, rows: 0},
		{columns: 80, rows: 24},
	],
	[{}, {columns: 80, rows: 24}],
])('a terminal that says %j counts as %j', (said, counts) => {
	const {size, stdout} = recordingScreen(said);
	expect(size()).toEqual(counts);
	expect({columns: stdout.columns, rows: stdout.rows}).toEqual(counts);
});

test('everything else is asked of the terminal itself', () => {
	const {stdout} = recordingScreen();
	expect([stdout.isTTY, stdout.getColorDepth()]).toEqual([true, 8]);
});
