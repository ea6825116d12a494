import xterm from '@xterm/headless';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Frame, nothingDrawn, redraw} from '../../../src/ui/screen/live-region.ts';
import {unmarked} from '../../../src/ui/screen/resize/frame-mark.ts';
import type {EmulatorInside} from '../contract/emulated-terminal.ts';
import {followMarks} from '../contract/prompt-marks.ts';
import {createEmulator} from '../emulator.ts';

const columns = 12;
const height = 8;
const row = fc.constantFrom(
	'',
	'one',
	'two',
	'日本',
	'one and more',
	'❯ two',
	'e\u0301',
	'e',
	'\u001b[31mred\u001b[39m',
	'\u001b[31mred\u001b[0m and',
	'x'.repeat(columns),
	'─'.repeat(columns),
);
const steps = fc.array(
	fc.record({
		rows: fc.array(row, {minLength: 0, maxLength: 10}),
		caret: fc.option(fc.record({row: fc.nat(5), column: fc.nat(columns - 1)}), {nil: undefined}),
		printed: fc.oneof(
			{weight: 3, arbitrary: fc.constant<string[]>([])},
			{weight: 1, arbitrary: fc.array(row, {minLength: 1, maxLength: 20})},
		),
	}),
	{minLength: 1, maxLength: 12},
);
const plain = (line: string) => line.replace(/\u001b\[\d+m/g, '');

test('the terminal shows every printed line once, and the last frame below, after any frames', async () => {
	await fc.assert(
		fc.asyncProperty(steps, fc.nat(9), fc.boolean(), fc.boolean(), async (drawn, shellLines, insertsLines, marks) => {
			const emulator = createEmulator(columns, height);
			try {
				emulator.stdout.write('$ shell\r\n'.repeat(shellLines));
				let now = nothingDrawn;
				const printed: string[] = Array.from({length: shellLines}, () => '$ shell');
				for (const {rows, caret, printed: lines} of drawn) {
					const next: Frame = {rows, caret: caret && caret.row < rows.length ? caret : undefined};
					const step = redraw(now, lines, next, {height, insertsLines, marks});
					now = step.drawn;
					// From the top left corner, tmux would move what it erases to its scrollback.
					expect(step.data).not.toContain('\r\u001B[J');
					emulator.stdout.write(step.data);
					printed.push(...lines.map(plain));
				}

				await emulator.settle(0);
				const expected = [...printed, ...now.rows.map(unmarked).map(plain)];
				const end = expected.findLastIndex(line => line !== '') + 1;
				expect(emulator.lines()).toEqual(expected.slice(0, end));
				expect(emulator.cursor()).toEqual(
					now.caret ? {row: printed.length + now.caret.row, column: now.caret.column} : undefined,
				);
			} finally {
				emulator.dispose();
			}
		}),
		{numRuns: 100},
	);
});

test('the first row of the frame has the only mark, after any frames', () => {
	fc.assert(
		fc.property(steps, drawn => {
			const terminal = new xterm.Terminal({cols: columns, rows: height, scrollback: 1000, allowProposedApi: true});
			try {
				const {_core: inside} = terminal as unknown as EmulatorInside;
				const marked = followMarks(terminal, inside.buffers.normal);
				let now = nothingDrawn;
				let count = 0;
				for (const {rows, caret, printed} of drawn) {
					const next: Frame = {rows, caret: caret && caret.row < rows.length ? caret : undefined};
					const step = redraw(now, printed, next, {height, insertsLines: true, marks: true});
					now = step.drawn;
					count += printed.length;
					inside.writeSync(step.data);
					expect(marked.rows()).toEqual([count]);
				}

				inside.writeSync(redraw(now, [], {rows: [], caret: undefined}, {...size, insertsLines: false}).data);
				expect(marked.rows()).toEqual([]);
			} finally {
				terminal.dispose();
			}
		}),
		{numRuns: 100},
	);
});

const caret = {row: 1, column: 2};
const size = {height, insertsLines: true, marks: false};
const after = (rows: readonly string[], printed: readonly string[], next: readonly string[]) => {
	const {drawn} = redraw(nothingDrawn, [], {rows, caret}, size);
	return redraw(drawn, printed, {rows: next, caret}, size).data;
};

test('only rows that changed are written', () => {
	expect(after(['a', 'b', 'c'], [], ['a', 'b', 'C'])).toBe('\u001b[?25l\n\r\u001b[2KC\u001b[1A\u001b[3G\u001b[?25h');
	expect(after(['a', 'b', 'c'], [], ['a', 'b', 'c'])).toBe('');
});

test('a terminal that inserts no lines gets the rows below again', () => {
	const {drawn} = redraw(nothingDrawn, [], {rows: ['live', 'rule', 'prompt'], caret}, size);
	const next = {rows: ['live', 'rule', 'prompt'], caret};
	const {data} = redraw(drawn, ['new'], next, {...size, insertsLines: false});
	expect(data).not.toMatch(/\u001b\[\d*[LM]/);
	expect(data).toContain('new\r\nlive\r\nrule\r\nprompt');
});

test('a character typed at the end of its row is all that is written, with the cursor visible', () => {
	const {drawn} = redraw(nothingDrawn, [], {rows: ['rule', '❯ ab', 'status'], caret: {row: 1, column: 4}}, size);
	const {data} = redraw(drawn, [], {rows: ['rule', '❯ abc', 'status'], caret: {row: 1, column: 5}}, size);
	expect(data).toBe('\u001b[5Gc\u001b[6G');
});

test('lines printed as they were in the frame are not written again', () => {
	const data = after(['one', 'two', 'rule', 'prompt'], ['one', 'two'], ['three', 'rule', 'prompt']);
	expect(data).toBe('\u001b[?25l\n\n\n\u001b[2A\u001b[1L\rthree\u001b[1B\u001b[3G\u001b[?25h');
});

test('lines are inserted above an unchanged frame', () => {
	const data = after(['live', 'rule', 'prompt'], ['new'], ['live', 'rule', 'prompt']);
	expect(data).not.toMatch(/live|rule|prompt/);
	expect(data).toContain('new');
});

test('a frame that is taller than the window shows its end', () => {
	const {drawn, data} = redraw(
		nothingDrawn,
		[],
		{rows: ['a', 'b', 'c', 'd'], caret: {row: 0, column: 0}},
		{...size, height: 2},
	);
	expect([drawn.rows, drawn.isCursorShown]).toEqual([['c', 'd'], false]);
	expect(data).not.toMatch(/[ab]/);
});
