import './not-in-ci.ts';
import fc from 'fast-check';
import {createElement} from 'react';
import {expect, onTestFinished, test} from 'vitest';
import {App} from '../../src/ui/app.tsx';
import {createChangedRows} from '../../src/ui/changed-rows.ts';
import {createEmulator} from './emulator.ts';
import {draw} from './frame.ts';
import {openLog} from './log-parts.ts';

type Cursor = {readonly up: number; readonly column: number};
type Step = {readonly rows: readonly string[]; readonly cursor: Cursor | undefined; readonly above: readonly string[]};

/** Writes as Ink 6 does: frames over frames, and other lines above them. */
function createWriter() {
	let height = 0;
	let before: Cursor | undefined;
	const back = () => {
		const down = before && before.up > 0 ? `\u001b[${before.up}B` : '';
		const lower = before ? `\u001b[?25l${down}\u001b[1G` : '';
		return lower + (height > 0 ? `${'\u001b[2K\u001b[1A'.repeat(height)}\u001b[2K\u001b[G` : '');
	};
	const frame = ({rows, cursor}: Step) => {
		const up = cursor ? Math.min(cursor.up, rows.length) : 0;
		const data = `${back()}${rows.join('\n')}\n`;
		height = rows.length;
		before = cursor && {...cursor, up};
		return cursor ? `${data}${up > 0 ? `\u001b[${up}A` : ''}\u001b[${cursor.column}G\u001b[?25h` : data;
	};
	return (step: Step): readonly string[] => {
		if (step.above.length === 0) {
			return [frame(step)];
		}

		const cleared = back();
		height = 0;
		before = undefined;
		return [cleared, `${step.above.join('\n')}\n`, frame(step)];
	};
}

const columns = 12;
const row = fc.constantFrom(
	'',
	'one',
	'two',
	'日本',
	'\u001b[31mred\u001b[39m',
	'x'.repeat(columns),
	'─'.repeat(columns),
);
const steps = fc.array(
	fc.record({
		rows: fc.array(row, {minLength: 1, maxLength: 6}),
		cursor: fc.option(fc.record({up: fc.nat(6), column: fc.integer({min: 1, max: columns})}), {nil: undefined}),
		above: fc.oneof(
			{weight: 4, arbitrary: fc.constant([])},
			{weight: 1, arbitrary: fc.array(row, {minLength: 1, maxLength: 9})},
		),
	}),
	{minLength: 1, maxLength: 12},
);

test('whatever is drawn in whatever turns, the terminal shows what it would show of it all', async () => {
	await fc.assert(
		fc.asyncProperty(steps, fc.nat(3), async (drawn, together) => {
			const [whole, short] = [createEmulator(columns, 8), createEmulator(columns, 8)];
			try {
				const write = createWriter();
				const changed = createChangedRows();
				let turn: string[] = [];
				for (const [index, step] of drawn.entries()) {
					turn.push(...write(step));
					if (index % (together + 1) === 0 || index === drawn.length - 1) {
						whole.stdout.write(turn.join(''));
						short.stdout.write(changed.shorten(turn));
						turn = [];
					}
				}

				await Promise.all([whole.settle(0), short.settle(0)]);
				expect([short.lines(), short.cursor()]).toEqual([whole.lines(), whole.cursor()]);
			} finally {
				whole.dispose();
				short.dispose();
			}
		}),
		{numRuns: 150},
	);
}, 30_000);

/** A frame of three rows, and what is sent for the next one. */
function after(first: Step, ...next: readonly Step[]): readonly string[] {
	const write = createWriter();
	const {shorten} = createChangedRows();
	shorten(write(first));
	shorten(write(first));
	return next.map(step => shorten(write(step)));
}

const cursor = {up: 1, column: 3};
const frame = (...rows: readonly string[]): Step => ({rows, cursor, above: []});

test('only rows that changed are sent; a frame that did not change is not', () => {
	expect(after(frame('a', 'b', 'c'), frame('a', 'B', 'c'), frame('a', 'B', 'c'))).toEqual([
		'\u001b[?25l\u001b[1A\r\u001b[2KB\u001b[2B\r\u001b[1A\u001b[3G\u001b[?25h',
		'',
	]);
});

test('what moves within rows is sent as it is, and so is the frame behind it', () => {
	const hostile = frame('a', 'b\u001b[5D', 'c');
	const [sent, then] = after(frame('a', 'b', 'c'), hostile, frame('a', 'b', 'c'));
	expect([sent, then]).toEqual([expect.stringContaining('a\nb\u001b[5D\nc'), expect.stringContaining('a\nb\nc')]);
});

test('what was forgotten is drawn whole again', () => {
	const write = createWriter();
	const {shorten, forget} = createChangedRows();
	shorten(write(frame('a', 'b')));
	shorten(write(frame('a', 'b')));
	forget();
	expect(shorten(write(frame('a', 'B')))).toContain('a\nB\n');
});

test('Ink writes as it is expected to: a new line in the dock of the app costs its rows alone', async () => {
	let last = 'first';
	const dockLines = ({rows}: {readonly rows: number}) =>
		Array.from({length: rows}, (_, index) => (index === 0 ? '── title' : index === rows - 1 ? last : `line ${index}`));
	const {store, settle, window, written} = draw(createElement(App), {dockLines});
	onTestFinished(() => store.getState().removeLog(openLog().environment));
	store.getState().addLog(openLog());
	await settle(30);
	written.length = 0;
	last = 'second';
	store.getState().updateLogs(new Map());
	await settle(30);
	expect(window().join('\n')).toContain('second');
	expect(written.join('').length).toBeLessThan(100);
});
