import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {type Chat, connectedTo, quit, startChat, waitForIdle} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {startTerminal} from './terminal.ts';
import type {TerminalView} from './terminal-view.ts';

const eraseScrollback = '\u001b[3J';
const eraseScreen = '\u001b[H\r\u001b[K\u001b[C\u001b[J';

/** A Markdown answer of every kind, with numbers that tell its lines apart. */
const answer = [
	'# A heading',
	'Some **bold** words, `code` and a [link](https://example.com/path), 日本語 and an emoji 👩‍💻.',
	...Array.from({length: 30}, (_, index) => `- point ${index + 1}. and so on`),
	'```ts\nconst answer = 42;\n```',
	'| a | b |\n| - | - |\n| 1 | 2 |',
	'The end.',
].join('\n\n');

async function chatAbout({host, terminal}: Chat<TerminalView>, text = answer) {
	host.answerWith(async ({say, finish}) => {
		for (const piece of text.match(/[\s\S]{1,40}/gu) ?? []) {
			say(piece);
			await new Promise(setImmediate);
		}

		finish();
	});
	terminal.type('draw\r');
	await terminal.waitFor('The end.');
	await waitForIdle(terminal);
}

test.each([
	[80, 24],
	[120, 40],
	[20, 5],
	[40, 10],
])('in a window of %i x %i every line fits, and nothing is left over or erased', async (columns, rows) => {
	const chat = await openChat({columns, rows});
	const {terminal} = chat;
	await chatAbout(chat);
	expect(terminal.wrapped()).toBe(0);
	const text = terminal.text();
	for (let point = 1; point <= 30; point++) {
		expect(text.split(new RegExp(`• point ${point}\\.`))).toHaveLength(2);
	}

	const before = terminal.screen();
	terminal.type('日本 abc');
	await terminal.waitFor('❯ 日本 abc');
	expect(terminal.screen()[terminal.cursor().row]).toBe('❯ 日本 abc');
	expect(terminal.cursor().column).toBe(10);
	terminal.press('left', 'left', 'left', 'left', 'left');
	await terminal.waitFor(() => terminal.cursor().column === 4);
	terminal.press('ctrl+c');
	await terminal.waitFor(() => terminal.screen().join('\n') === before.join('\n'));

	expect(terminal.output()).not.toContain(eraseScrollback);
	expect(terminal.output()).not.toContain(eraseScreen);
	expect(await quit(terminal)).toEqual({status: 0, signal: 0});
	expect(terminal.text()).toContain('Resume this session');
});

test('Ctrl+L redraws the same screen, as no frame left anything behind, and only /clear erases the scrollback', async () => {
	const chat = await openChat();
	await chatAbout(chat);
	// The new drawing may stand lower: where the live region had shrunk there was room below it.
	const shown = () => chat.terminal.screen().join('\n').trim();
	const before = shown();
	chat.terminal.press('ctrl+l');
	await chat.terminal.waitFor(() => chat.terminal.output().includes(eraseScreen));
	await chat.terminal.waitFor(() => shown().endsWith(before));

	expect(chat.terminal.scrollback().length).toBeGreaterThan(20);
	expect(chat.terminal.output()).not.toContain(eraseScrollback);
	chat.terminal.type('/clear\r');
	await chat.terminal.waitFor(() => !chat.terminal.text().includes('The end.'));
	await waitForIdle(chat.terminal);
	expect(chat.terminal.scrollback()).toEqual([]);
	expect(chat.terminal.screen().filter(Boolean)).toHaveLength(3);
});

test('NO_COLOR removes colors, and CI in the environment does not stop the app from drawing', async () => {
	const chat = await startChat({env: {NO_COLOR: '1', CI: '1'}});
	await chatAbout(chat);
	expect(chat.terminal.output()).not.toMatch(/\u001b\[[\d;:]*[1-9][\d;:]*m/);
});

test('a dumb terminal gets lines without escape sequences', async () => {
	const host = await startModelHost();
	const connected = connectedTo(host);
	const terminal = startTerminal({...connected, env: {...connected.env, TERM: 'dumb'}});
	await terminal.waitFor('all commands, in groups');
	terminal.type('hello\r');
	await terminal.waitFor(/Hello from the host\.\n[\s\S]*\n> /);
	terminal.press('ctrl+d');
	expect(await terminal.exit()).toEqual({status: 0, signal: 0});
	expect(terminal.text()).toContain('Resume this session with');
	expect(terminal.output()).not.toContain('\u001b');
});
