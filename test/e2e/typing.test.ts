import {chmodSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';
import {startTerminal} from './terminal.ts';
import type {TerminalView} from './terminal-view.ts';

const keys = {undo: '\u001F', redo: '\u001BZ', editor: '\u0018\u0005', stash: '\u0013', enter: '\r', escape: '\u001B'};

/** What an empty prompt shows. */
const empty = 'Ask something, or / for commands';

/** Types keys at once, and waits until the line of the prompt is what they make of it. */
async function typed(terminal: TerminalView, text: string, prompt: string): Promise<void> {
	terminal.type(text);
	await terminal.waitFor(() => terminal.screen().includes(`❯ ${prompt}`));
}

test('a draft is undone and redone, edited in $EDITOR, stashed, and edited with the keys of Vim', async () => {
	const editor = join(folderWith(), 'editor.sh');
	writeFileSync(editor, '#!/bin/sh\necho "and a line" >> "$1"\n');
	chmodSync(editor, 0o755);
	const {host, terminal} = await openChat({env: {EDITOR: editor}});

	terminal.type('?');
	await terminal.waitFor(/Ctrl\+X Ctrl\+E/);
	// With the next character, Escape would be Alt.
	terminal.type(keys.escape);
	await terminal.waitFor(() => !terminal.screen().join('\n').includes('/keys-help'));

	await typed(terminal, 'one', 'one');
	await typed(terminal, ' two', 'one two');
	await typed(terminal, '\u0017', 'one');
	await typed(terminal, keys.undo, 'one two');
	await typed(terminal, keys.redo, 'one');

	terminal.type(keys.editor);
	await terminal.waitFor(/❯ one\n {2}and a line\n/);
	await typed(terminal, keys.stash, empty);
	terminal.type('/vim\r');
	await terminal.waitFor(() => terminal.status().startsWith('INSERT'));
	await typed(terminal, 'alpha beta gamma', 'alpha beta gamma');
	terminal.type(keys.escape);
	await terminal.waitFor(() => terminal.status().startsWith('NORMAL'));
	await typed(terminal, '0dw', 'beta gamma');
	await typed(terminal, 'u', 'alpha beta gamma');
	await typed(terminal, 'wciwnew', 'alpha new gamma');
	terminal.type(keys.enter);
	await terminal.waitFor('Hello from the host.');
	expect(host.chats().at(-1)?.at(-1)).toBe('user: alpha new gamma');
	await waitForIdle(terminal);

	terminal.type(keys.stash);
	await terminal.waitFor(/❯ one\n {2}and a line\n/);
	terminal.press('ctrl+c');
	await quit(terminal);
});

test('an answer is copied and kept, exported in three formats, and replayed in a shell', async () => {
	const folder = folderWith();
	const home = join(folderWith(), 'home');
	const {host, terminal} = await openChat({folder, home, env: {SSH_TTY: '/dev/pts/1'}});
	const copied: string[] = [];
	terminal.emulator.parser.registerOscHandler(52, data => copied.push(data) > 0);
	host.answerWith(({say, finish}) => {
		say('See **this**: <script>alert(1)</script>\n\n```sh\nnpm test\n```\n');
		finish();
	});
	terminal.type('show me\r');
	await terminal.waitFor('npm test');
	await waitForIdle(terminal);

	terminal.type('/copy code\r');
	await terminal.waitFor('Copied code 1 (sh), 1 line (OSC 52).');
	expect(copied).toEqual([`c;${Buffer.from('npm test').toString('base64')}`]);
	expect(readFileSync(join(home, 'copied.txt'), 'utf8')).toBe('npm test\n');

	for (const name of ['talk.md', 'talk.json', 'talk.html']) {
		terminal.type(`/export ${name}\r`);
		await terminal.waitFor(new RegExp(`Wrote \\S*${name}`));
		await waitForIdle(terminal);
	}

	await quit(terminal);
	const read = (name: string) => readFileSync(join(folder, name), 'utf8');
	expect(read('talk.md')).toMatch(/show me[\s\S]*See \*\*this\*\*: <script>[\s\S]*```sh\nnpm test\n```/);
	expect(JSON.parse(read('talk.json')).blocks).toMatchObject([
		{type: 'user', text: 'show me'},
		{type: 'text', text: expect.stringContaining('See **this**')},
	]);
	expect(read('talk.html')).toMatch(/show me[\s\S]*<strong>this<\/strong>: &#60;script&#62;[\s\S]*npm test/);
	expect(read('talk.html')).not.toMatch(/<script|src=|url\(/);

	const replayed = startTerminal({args: ['replay', '--speed', '100'], folder, home});
	expect(await replayed.exit()).toEqual({status: 0, signal: 0});
	expect(replayed.text()).toMatch(/❯ show me[\s\S]*npm test[\s\S]*Replayed \d+ events\./);
});
