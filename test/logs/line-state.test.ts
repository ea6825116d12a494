import xterm from '@xterm/headless';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {isRedrawn, lastState} from '../../src/logs/line-state.ts';
import {withoutSgr} from '../../src/terminal/text/sgr.ts';

const bar = Array.from({length: 100}, (_, step) => `\rProgress ${step + 1}%`).join('');

test.each([
	['a progress bar', bar, 'Progress 100%'],
	['a bar that a shorter text ends', '100 %\rok   ', 'ok'],
	['a shorter text over a longer one, as a terminal shows it', '100 %\rok', 'ok0 %'],
	['what stands behind an erased row', 'step 1 of 9\r\u001B[Kdone', 'done'],
	['an erased row', 'working …\r\u001B[2K', ''],
	['backspaces', '1%\u0008\u00082%\u0008\u0008\u000810%', '10%'],
	['a spinner', '| install\r/ install\r- install\r\\ install', '\\ install'],
	['several CR before the newline', 'same\r\r', 'same'],
	['a hidden cursor', '\u001B[?25l 1%\r 2%\r\u001B[?25h', ' 2%'],
	['colours', '\r\u001B[31m10%\u001B[0m\r\u001B[32m20%\u001B[0m', '\u001B[32m20%\u001B[m'],
	['a wide character that is half written over', '日本\r\u001B[Cx', ' x本'],
	[
		'the layers of docker pull',
		'aa: Waiting\u001B[1A\u001B[2K\rbb: Downloading 1MB\r\u001B[1B\u001B[1A\u001B[2K\rbb: Pull complete\r\u001B[1B\u001B[2Kaa: Pull complete',
		'bb: Pull complete · aa: Pull complete',
	],
	['the row that a picture of several rows begins with', '\u001B[3A\u001B[K[+] Building 1.2s', '[+] Building 1.2s'],
	['a wide character that is parted', '日本\u0008\u001B[2@', '日'],
	['a title, which takes no column, and is shown', 'abc\r\u001B]0;title\u00072', '\u001B]0;title\u00072bc'],
	['a title that is written over', '\u001B]0;title\u0007abc\rdef', 'def'],
	['the progress of a window', '\u001B]9;4;1;50\u001B\\Building 1\rBuilding 2', 'Building 2'],
	['a title at the end', '1\r2\u001B]0;title\u0007', '2\u001B]0;title\u0007'],
	['a title without an end, which stays visible', '1\r\u001B]0;title', '\u001B]0;title'],
	['a set of characters, as tput resets it', 'red\r\u001B[31mok\u001B(B\u001B[m ', '\u001B[31mok\u001B[m'],
	['a place that is saved and gone back to', '\u001B7 10%\u001B8 20%\u001B[s!\u001B[u.\u001B[K', ' 20%.'],
	['a screen that is cleared, which is no line', '1\r\u001B[2J\u001B[1;1H2', '\u001B[2J\u001B[1;1H2'],
	['a plain line', 'plain \u001B[1mtext\u001B[0m ', 'plain \u001B[1mtext\u001B[0m '],
	['a line of Windows', 'plain\r', 'plain'],
])('of %s, the last state is shown', (_, line, shown) => {
	expect(lastState(line)).toBe(shown);
});

test('a line is redrawn by what a terminal does, not by a colour or the CR of its end', () => {
	expect(['a\rb', 'a\u0008', '\u001B[2Ka', '\u001B[1Aa'].every(isRedrawn)).toBe(true);
	expect(['a', 'a\r', '\u001B[31ma', '\u001B[?25la', ''].some(isRedrawn)).toBe(false);
});

test('a bar of ten megabytes costs no more than its end', () => {
	const long = `${'\rProgress 1%'.repeat(900_000)}\rProgress 7%`;
	expect(lastState(long)).toBe('Progress 7%');
	expect(lastState(`1%\r${'x'.repeat(2_000_000)}`)).toBe('x'.repeat(2_000_000));
});

test('sequences that move or erase very many cells cost no more than a moment, and memory', () => {
	const wide = 'x'.repeat(120_000);
	for (const sequence of ['\u001B[4096@', '\u001B[P', '\u001B[1K']) {
		const shown = lastState(`${wide}\rab${sequence.repeat(20_000)}`);
		expect(shown === `ab${sequence.repeat(20_000)}`).toBe(true);
	}

	expect(lastState('\r'.repeat(200_000))).toBe('');
	expect(lastState(`${'\r'.repeat(600_000)}x\r`)).toBe('x');
});

const pieces = fc.oneof(
	{weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9 %#=>]{1,12}$/)},
	{weight: 3, arbitrary: fc.constantFrom('\r', '\u0008', '\r\u001B[K')},
	{weight: 2, arbitrary: fc.constantFrom('\u001B[K', '\u001B[1K', '\u001B[2K', '\t')},
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			'日',
			'한글',
			'é',
			'\u001B[3C',
			'\u001B[2D',
			'\u001B[5G',
			'\u001B[2P',
			'\u001B[3X',
			'\u001B[2@',
		),
	},
	{weight: 1, arbitrary: fc.constantFrom('\u001B[31m', '\u001B[0m', '\u001B[1;4m')},
);

test('the last state of any line is what a terminal shows', async () => {
	const terminal = new xterm.Terminal({cols: 400, rows: 2, allowProposedApi: true});
	onTestFinished(() => terminal.dispose());
	const shown = async (line: string) => {
		terminal.reset();
		await new Promise<void>(resolve => terminal.write(line, resolve));
		return terminal.buffer.active.getLine(0)?.translateToString(true).trimEnd();
	};
	await fc.assert(
		fc.asyncProperty(fc.array(pieces, {maxLength: 24}), async parts => {
			const line = parts.join('');
			fc.pre(isRedrawn(line));
			expect(withoutSgr(lastState(line)).trimEnd()).toBe(await shown(line));
		}),
		{numRuns: 400},
	);
});
