import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, startChat, waitForIdle} from './chat.ts';
import {folderWith, program} from './program.ts';
import {startTerminal} from './terminal.ts';

test.each([
	['emoji that this terminal does not join', '👩‍👩‍👧❤️👍🏽'],
	['letters that are written as one', 'क्षत्रिय'],
	['Khmer', 'កម្ពុជា'],
])('rows full of %s do not wrap or repeat, and the caret is after the text', async (_, word) => {
	const {host, terminal} = await openChat({columns: 40, rows: 16});
	const words = Array.from({length: 60}, (__, index) => `${index + 100}${word}`);
	host.answerWith(async ({say, finish}) => {
		for (const each of words) {
			say(`${each} `);
			await new Promise(setImmediate);
		}

		finish();
	});
	terminal.type('draw\r');
	await terminal.waitFor('159');
	await waitForIdle(terminal);
	// Between emoji a row may break.
	const text = terminal.text().replaceAll('\n', '');
	expect(words.map(each => text.split(each).length - 1)).toEqual(words.map(() => 1));
	expect(terminal.wrapped()).toBe(0);

	terminal.type(`${word}x`);
	await terminal.waitFor(`❯ ${word}x`);
	const row = terminal.screen()[terminal.cursor().row] ?? '';
	expect(row).toBe(`❯ ${word}x`);
	terminal.press('left');
	await terminal.waitFor(() => terminal.character() === 'x');
	terminal.press('ctrl+c');
	await quit(terminal);
});

test('replies of the terminal are not typed anywhere, and are known at the next start', async () => {
	const home = join(folderWith(), 'home');
	const {terminal} = await startChat({home});
	await quit(terminal);
	expect(terminal.text()).not.toMatch(/\[\d+;\d+R/);
	const known: unknown = JSON.parse(readFileSync(join(home, 'terminals.json'), 'utf8'));
	expect(Object.values(known as object)).toEqual([expect.objectContaining({emoji: 1, family: 3, ambiguous: 1})]);
});

test('quitting at once leaves no reply to the shell', async () => {
	const terminal = startTerminal({
		shell: {
			file: 'bash',
			args: ['--norc', '--noprofile', '-c', `node ${program}; read -r -t 1 line; echo "read <$line>"`],
		},
		args: [],
	});
	await terminal.waitFor(() => terminal.output().includes('\u001b[6n'));
	terminal.press('ctrl+d');
	await terminal.waitFor(/read <.*>/);
	expect(terminal.text()).toContain('read <>');
});
