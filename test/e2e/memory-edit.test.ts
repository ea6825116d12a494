import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, startChat, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';

/** Writes an editor that appends the line that is typed. */
function editor(script: string): string {
	const path = join(folderWith(), 'editor.sh');
	writeFileSync(path, `#!/bin/sh\n${script}\n`);
	chmodSync(path, 0o755);
	return path;
}

const appends =
	'stty -a | grep -q " icanon" && echo "EDITING $2 $1"\nread line; echo "$line" >> "$2"; echo "KEY=$CUSTOM_API_KEY." >> "$2"';

test('/memory edit lends the terminal to the editor, and the agent follows what was written once it is trusted', async () => {
	const folder = folderWith({'AGENTS.md': 'Be brief.\n'});
	const {host, terminal} = await startChat({folder, env: {EDITOR: `${editor(appends)} --wait`, VISUAL: ''}});
	await terminal.waitFor('y  Trust');
	terminal.type('n');
	await terminal.waitFor('Not trusted, so not used');
	terminal.type('/memory edit AGENTS.md\r');
	await terminal.waitFor(`EDITING ${folder}/AGENTS.md --wait`);
	expect(terminal.modes().bracketedPasteMode).toBe(false);
	// A window that changes meanwhile is drawn when the editor is done.
	terminal.resize(90, 20);
	terminal.type('Be kind.\r');
	await terminal.waitFor(/\? Changed since you answered: AGENTS\.md\. Trust\?\n {2}y {2}Yes\n❯ n {2}No\n/);
	expect(terminal.modes().bracketedPasteMode).toBe(true);
	terminal.type('y');
	await terminal.waitFor('The agent follows it from the next message on.');
	expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe('Be brief.\nBe kind.\nKEY=.\n');
	await waitForIdle(terminal);
	terminal.type('hi\r');
	await terminal.waitFor('Hello from the host.');
	expect(host.chats()[0]?.[0]).toContain('Be kind.');
	await waitForIdle(terminal);
	await quit(terminal);
});

test('an editor that is interrupted, fails or is missing leaves the app as it was', async () => {
	const folder = folderWith();
	const script = editor('echo "EDITING"; read line; exit "$line"');
	const {terminal} = await startChat({folder, env: {VISUAL: script, EDITOR: 'none'}});
	const edit = async () => {
		const before = terminal.output().split('EDITING').length;
		terminal.type('/memory edit user\r');
		await terminal.waitFor(() => terminal.output().split('EDITING').length > before);
	};
	await edit();
	terminal.press('ctrl+c');
	await terminal.waitFor('✗ The editor was ended by SIGINT.');
	await waitForIdle(terminal);
	await edit();
	terminal.type('3\r');
	await terminal.waitFor('✗ The editor ended with status 3.');
	await edit();
	terminal.type('0\r');
	await terminal.waitFor('There are no instructions in that file.');
	expect(existsSync(join(folder, 'AGENTS.md'))).toBe(false);
	await waitForIdle(terminal);
	await quit(terminal);
});

test('with an editor that is not there, /memory edit says so', async () => {
	const env = {EDITOR: 'no-such-editor -w', VISUAL: ''};
	const {terminal} = await openChat({folder: folderWith(), env});
	terminal.type('/memory edit user\r');
	await terminal.waitFor("✗ Couldn't start the editor “no-such-editor -w”.");
	await waitForIdle(terminal);
	await quit(terminal);
});
