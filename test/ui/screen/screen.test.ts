import {describe, expect, test} from 'vitest';
import {rowHabits} from '../../../src/terminal/row-habits.ts';
import {createScreen} from '../../../src/ui/screen/screen.ts';

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
	const screen = createScreen(output, {later: run => waiting.push(run)});
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

/** What Ink has at its start: a frame of three rows with the caret in the second, on the screen. */
function drawnScreen() {
	const screen = recordingScreen();
	screen.stdout.write('a\nb\nc');
	screen.setCaret({row: 1, column: 2});
	screen.turn();
	screen.written.length = 0;
	return screen;
}

describe('output of one turn of the event loop', () => {
	test('is one synchronized write: lines, the rows that changed, the caret', () => {
		const {stdout, print, setCaret, written, turn} = drawnScreen();
		print('one\n');
		stdout.write('x');
		stdout.write(Buffer.from('a\nü\nc'));
		print('two\n');
		setCaret({row: 1, column: 3});
		expect(written).toEqual([]);
		turn();
		expect(written).toHaveLength(1);
		expect(written[0]).toMatch(/^\u001B\[\?2026h\u001B\[\?25l.*one.*two.*ü.*\u001B\[4G\u001B\[\?25h\u001B\[\?2026l$/s);
		expect(written[0]).not.toMatch(/[ac]\r|x/);
	});

	test('is empty if nothing changed', () => {
		const {stdout, setCaret, flush, written, turn} = drawnScreen();
		stdout.write('a\nb\nc');
		setCaret({row: 1, column: 2});
		turn();
		flush();
		expect(written).toEqual([]);
	});

	test('moves only the caret', () => {
		const {setCaret, written, turn} = drawnScreen();
		setCaret({row: 0, column: 0});
		turn();
		setCaret(undefined);
		turn();
		expect(written).toEqual([`${begin}\u001B[1A\u001B[1G${end}`, `${begin}\u001B[?25l${end}`]);
	});

	test('is written before the callback that Ink waits for', () => {
		const {stdout, written, turn} = drawnScreen();
		let seen = 0;
		expect(stdout.write('A\nb\nc', () => (seen = written.length))).toBe(true);
		expect(seen).toBe(1);
		stdout.write('', 'utf8', () => (seen += 10));
		turn();
		expect([seen, written.length]).toEqual([11, 1]);
	});
});

test('raw data passes unchanged, after earlier output', () => {
	const {print, raw, written, turn} = drawnScreen();
	print('line\n');
	raw('\u001B[3J');
	turn();
	expect(written).toEqual([expect.stringContaining('line'), '\u001B[3J']);
});

test('held output is written on release', () => {
	const {print, hold, release, written, turn} = drawnScreen();
	hold();
	print('line\n');
	turn();
	expect(written).toEqual([]);
	release();
	turn();
	expect(written).toEqual([expect.stringContaining('line')]);
});

test('the cursor is hidden again if another view showed it', () => {
	const {setCaret, hold, release, written, turn} = drawnScreen();
	setCaret(undefined);
	turn();
	written.length = 0;
	hold();
	release();
	turn();
	expect(written).toEqual([expect.stringContaining('\u001B[?25l')]);
});

test('lines of a cleared window are not rewrapped on resize', () => {
	const {print, startOver, resize, output, turn} = drawnScreen();
	print('line\n');
	turn();
	startOver('\u001B[H\u001B[2J');
	turn();
	Object.assign(output, {columns: 40});
	const offered: (readonly string[])[] = [];
	resize({
		rewrap(lines) {
			offered.push(lines);
			return {count: 0, lines: []};
		},
	});
	turn();
	expect(offered).toEqual([[]]);
});

test('an erased frame stays erased until the next one', () => {
	const {stdout, erase, isErased, release, resize, written, turn} = drawnScreen();
	erase();
	erase();
	stdout.write('a\nb');
	turn();
	expect([written, isErased()]).toEqual([
		[expect.stringMatching(/^\u001B\[\?25l.*\u001B\[J.*\u001B\[1G\u001B\[\?25h$/s)],
		true,
	]);
	release();
	resize();
	turn();
	expect([written[1], isErased()]).toEqual([expect.stringContaining('a\r\nb'), false]);
});

test('only the screen notifies Ink of a resize', () => {
	const {stdout, resize, heard} = recordingScreen();
	let resized = 0;
	const listener = () => resized++;
	stdout.on('resize', listener);
	resize();
	stdout.off('resize', listener);
	resize();
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

test('other properties are those of the terminal', () => {
	const {stdout} = recordingScreen();
	expect([stdout.isTTY, stdout.getColorDepth()]).toEqual([true, 8]);
});

test.each([
	[true, 5],
	[false, 3],
])('a narrower window that breaks rows (%s) is drawn from the row where the frame begins now', (reflows, up) => {
	const written: string[] = [];
	const output = {columns: 30, rows: 10, write: (data: string) => written.push(data)};
	const screen = createScreen(output, {reflows: () => reflows, later: run => run()});
	screen.setCaret({row: 3, column: 0});
	screen.stdout.write(`a\n${'b'.repeat(30)}\n${'c'.repeat(21)}\n>`);
	written.length = 0;
	output.columns = 20;
	screen.resize();
	expect(written[0]).toContain(`\u001B[${up}A\r\u001B[K\u001B[C\u001B[J`);
});

test.each([
	['drops rows below the cursor', false, 1],
	// The cursor is in the last row by then, and that of the caret above the window.
	['keeps rows below the cursor, but not its place', true, 3],
])('a lower window of a terminal that %s is drawn from where the frame begins now', (_, keepsBelow, up) => {
	const written: string[] = [];
	const output = {columns: 30, rows: 10, write: (data: string) => written.push(data)};
	const screen = createScreen(output, {later: run => run()});
	screen.setCaret({row: 1, column: 0});
	screen.stdout.write('a\nb\nc\nd\ne\nf');
	written.length = 0;
	output.rows = 4;
	screen.resize({rewrap: undefined, row: 3, habits: {...rowHabits([], {}), keepsBelow}});
	expect(written[0]).toContain(`\u001B[${up}A\r\u001B[K\u001B[C\u001B[J`);
});
