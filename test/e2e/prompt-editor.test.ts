import {chmodSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quit, startChat, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';

const ctrlXCtrlE = '\u0018\u0005';
const ctrlS = '\u0013';

/** Writes an editor that shows the file and replaces it with the line that is typed, or fails if that is `fail`. */
function editor(): string {
	const path = join(folderWith(), 'editor.sh');
	const script = [
		'#!/bin/sh',
		'stty -a | grep -q " icanon" && echo "EDITING $(cat "$1")"',
		'read line',
		'[ "$line" = fail ] && exit 3',
		'echo "$line" > "$1"',
	];
	writeFileSync(path, script.join('\n'));
	chmodSync(path, 0o755);
	return path;
}

test('Ctrl+X Ctrl+E lends the terminal to the editor while an answer streams, which is drawn afterwards', async () => {
	const temporary = folderWith();
	const {host, terminal} = await startChat({env: {VISUAL: editor(), EDITOR: 'none', TMPDIR: temporary}});
	let goOn: () => void = () => undefined;
	const edited = new Promise<void>(resolve => {
		goOn = resolve;
	});
	let end: () => void = () => undefined;
	const drawn = new Promise<void>(resolve => {
		end = resolve;
	});
	host.answerWith(async ({say, finish}) => {
		say('Before the editor.\n\n');
		await edited;
		say('While it was open.\n\n');
		await drawn;
		finish();
	});
	terminal.type('hi\r');
	await terminal.waitFor('Before the editor.');
	terminal.type('my draft');
	terminal.type(ctrlXCtrlE);
	await terminal.waitFor('EDITING my draft');
	expect(terminal.modes().bracketedPasteMode).toBe(false);
	expect(readdirSync(temporary)).toHaveLength(1);
	const before = terminal.output().length;
	goOn();
	await new Promise(resolve => setTimeout(resolve, 50));
	expect(terminal.output().slice(before)).toBe('');
	terminal.type('a better one\r');
	await terminal.waitFor(/While it was open\.[\s\S]*❯ a better one/);
	expect(terminal.modes().bracketedPasteMode).toBe(true);
	expect(readdirSync(temporary)).toEqual([]);
	end();
	await waitForIdle(terminal);

	// A failure keeps the draft.
	terminal.type(ctrlXCtrlE);
	await terminal.waitFor('EDITING a better one');
	terminal.type('fail\r');
	await terminal.waitFor('The editor ended with status 3. Your draft is unchanged.');
	expect(terminal.screen().join('\n')).toContain('❯ a better one');

	// The terminal passes Ctrl+S on, instead of stopping its output.
	terminal.type(ctrlS);
	await terminal.waitFor('1 draft stashed');
	terminal.type('sent\r');
	await terminal.waitFor(() => host.chats().length === 2);
	await waitForIdle(terminal);
	terminal.type(ctrlS);
	await terminal.waitFor('❯ a better one');
	terminal.press('ctrl+c');
	await quit(terminal);
});
