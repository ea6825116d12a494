import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {waitForIdle} from './chat.ts';

/** One of them in a process, which gets the signal of its terminal. */
test.each([
	['narrower', 50, 24],
	['wider', 110, 24],
	['lower', 80, 12],
	['higher', 80, 40],
])('a window made %s in the middle of an answer shows each line once', async (_, columns, rows) => {
	const {host, terminal} = await openChat({columns: 80, rows: 24});
	let goOn: () => void = () => undefined;
	const gate = new Promise<void>(resolve => {
		goOn = resolve;
	});
	const lines = (from: number, to: number) =>
		Array.from({length: to - from}, (_, index) => `Line ${from + index}. ${'and so on '.repeat(6)}\n\n`).join('');
	host.answerWith(async ({say, finish}) => {
		say(lines(1, 30));
		say('Line 30 is half wri');
		await gate;
		say(`tten now.\n\n${lines(31, 41)}The end.`);
		finish();
	});
	terminal.type('draw\r');
	await terminal.waitFor('Line 30 is half wri');
	const drawn = terminal.output().length;
	terminal.resize(columns, rows);
	await terminal.waitFor(() => terminal.output().length > drawn && terminal.status().includes('● working'));
	goOn();
	await terminal.waitFor('The end.');
	await waitForIdle(terminal);
	const text = terminal.text();
	const counts = Array.from(
		{length: 40},
		(_, index) => text.split(new RegExp(`^(?:● )?Line ${index + 1}[. ]`, 'm')).length - 1,
	);
	expect(Math.min(...counts)).toBe(1);
	// If the terminal itself wraps again or drops rows, the line at the upper edge may be on both sides of it.
	expect(counts.filter(count => count > 1).length).toBeLessThanOrEqual(columns < 80 || rows < 24 ? 1 : 0);
	expect(Math.max(...counts)).toBeLessThanOrEqual(2);
	expect(terminal.output()).not.toContain('\u001b[3J');
});
