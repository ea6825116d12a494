import {appendFileSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {answer, type Chat, connectedTo, quit, startChat, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import type {Answer} from './model-host.ts';
import {folderWith, type Place} from './program.ts';
import type {TerminalView} from './terminal-view.ts';

const poem = 'roses are red\nviolets are blu\nsugar is sweet\n';
const fixed = poem.replace('blu\n', 'blue\n');

/** A model that fixes the poem with an edit. */
const fixes: readonly ((answer: Answer) => void)[] = [
	({call, finish}) => {
		call('read_file', {path: 'poem.txt'});
		finish();
	},
	({call, finish}) => {
		call('edit_file', {path: 'poem.txt', edits: [{old_text: 'violets are blu', new_text: 'violets are blue'}]});
		finish();
	},
	({say, finish}) => {
		say('That is all.');
		finish();
	},
];

async function fixedPoem<Terminal extends TerminalView>(open: (place: Place) => Promise<Chat<Terminal>>) {
	const folder = folderWith({'poem.txt': poem});
	const home = join(folderWith(), 'home');
	const {host, terminal} = await open({folder, home});
	host.answerWith(...fixes);
	terminal.type('fix the poem\r');
	await answer(terminal, 'y', /Change poem\.txt/);
	await terminal.waitFor('That is all.');
	await waitForIdle(terminal);
	return {host, terminal, read: () => readFileSync(join(folder, 'poem.txt'), 'utf8'), folder, home};
}

test('/diff shows an edit, takes it back after a question, and /undo --redo brings it back', async () => {
	const {host, terminal, read} = await fixedPoem(openChat);
	terminal.type('/diff\r');
	await terminal.waitFor('Changes by the agent · 1 file, +1 −1');
	expect(terminal.screen().join('\n')).toMatch(
		/poem\.txt \+1 −1\n[\s\S]*2 - violets are blu\n\s+2 \+ violets are blue\n/,
	);
	terminal.type('x');
	await terminal.waitFor('1 change selected');
	terminal.type('\r');
	await terminal.waitFor(/\? Undo 1 change\?\n {2}y {2}Yes\n❯ n {2}No\n/);
	expect(read()).toBe(fixed);
	terminal.type('y');
	await terminal.waitFor('↺ Undid changes to 1 file: poem.txt');
	await waitForIdle(terminal);
	expect(read()).toBe(poem);

	terminal.type('/undo --redo\r');
	await terminal.waitFor('↺ Redid changes to 1 file: poem.txt');
	expect(terminal.screen().join('\n')).not.toContain('Redone');
	expect(read()).toBe(fixed);

	host.answerWith(({say, finish}) => {
		say('I see.');
		finish();
	});
	terminal.type('what now?\r');
	await terminal.waitFor('I see.');
	expect(JSON.stringify(host.chats().at(-1))).toContain('Redid changes to 1 file: poem.txt');
	await waitForIdle(terminal);
	await quit(terminal);
});

test('/undo asks about a file that the user changed, too, and keeps what they wrote', async () => {
	const {terminal, read, folder} = await fixedPoem(openChat);
	appendFileSync(join(folder, 'poem.txt'), 'and so is honey\n');
	terminal.type('/undo\r');
	await terminal.waitFor('You changed poem.txt, too');
	expect(read()).toBe(`${fixed}and so is honey\n`);
	terminal.press('down');
	await terminal.waitFor('❯ Keep my changes, undo the agent’s lines');
	terminal.type('\r');
	await terminal.waitFor('↺ Undid changes to 1 file: poem.txt');
	await terminal.waitFor('Redo: /undo --redo');
	expect(terminal.screen().join('\n')).not.toContain('Undone');
	expect(read()).toBe(`${poem}and so is honey\n`);
	await waitForIdle(terminal);
	await quit(terminal);
});

test('/rewind goes back to before a message with the files, and puts the message into the prompt', async () => {
	const {terminal, read} = await fixedPoem(openChat);
	terminal.type('/rewind\r');
	await terminal.waitFor(/❯ fix the poem .*1 file changed since/);
	terminal.type('\r');
	await terminal.waitFor('❯ Conversation and files');
	terminal.type('\r');
	await terminal.waitFor('Continues from before that message in a new session.');
	expect(read()).toBe(poem);
	await terminal.waitFor(() =>
		terminal.screen().some(line => line.startsWith('❯ fix the poem') && !line.includes('ago')),
	);
	expect(terminal.text()).toMatch(/Go back: \/resume [\da-f]{8}/);
	terminal.press('ctrl+c');
	await quit(terminal);
});

test('a resumed session shows its edits with /diff, takes them back with /undo, and the model reads of it', async () => {
	const {terminal: earlier, read, folder, home} = await fixedPoem(startChat);
	earlier.kill('SIGKILL');
	await earlier.exit();

	const {host, terminal} = await openChat({folder, home, args: ['-c']});
	terminal.type('/diff\r');
	await terminal.waitFor('Changes by the agent · 1 file, +1 −1');
	terminal.press('escape');
	await waitForIdle(terminal);
	terminal.type('/undo\r');
	await terminal.waitFor('↺ Undid changes to 1 file: poem.txt');
	expect(read()).toBe(poem);
	await waitForIdle(terminal);
	terminal.type('what now?\r');
	await terminal.waitFor('Hello from the host.');
	expect(JSON.stringify(host.chats().at(-1))).toContain('Undid changes to 1 file: poem.txt');
	await waitForIdle(terminal);
	await quit(terminal);
});

/** Lets the agent fix 20 files, and kills the app when /undo has restored some of them. */
async function killedUndo() {
	const names = Array.from({length: 20}, (_, index) => `poem-${index}.txt`);
	const folder = folderWith(Object.fromEntries(names.map(name => [name, poem])));
	const home = join(folderWith(), 'home');
	const texts = () => names.map(name => readFileSync(join(folder, name), 'utf8'));
	const {host, terminal} = await startChat({folder, home, args: ['--approve', 'edits']});
	const each =
		(name: string, args: (path: string) => object) =>
		({call, finish}: Answer) => {
			for (const path of names) {
				call(name, args(path));
			}

			finish();
		};
	host.answerWith(
		each('read_file', path => ({path})),
		each('write_file', path => ({path, content: fixed})),
		({say, finish}) => {
			say('That is all.');
			finish();
		},
	);
	terminal.type('fix them\r');
	await terminal.waitFor('That is all.');
	await waitForIdle(terminal);
	expect(new Set(texts())).toEqual(new Set([fixed]));
	terminal.type('/undo\r');
	await expect.poll(() => texts().includes(poem), {interval: 1}).toBe(true);
	terminal.kill('SIGKILL');
	await terminal.exit();
	expect(texts().filter(text => text !== poem && text !== fixed)).toEqual([]);
	return {names, folder, home, host, texts};
}

test('[17] kill -9 during /undo leaves each file old or new, and the next start restores the rest', async () => {
	const {names, folder, home, texts} = await killedUndo();
	const {terminal} = await openChat({folder, home, args: ['-c']});
	await terminal.waitFor('Undid changes to 20 files:');
	expect(new Set(texts())).toEqual(new Set([poem]));
	terminal.type('/undo --redo\r');
	await terminal.waitFor('Redid changes to 20 files:');
	expect(new Set(texts())).toEqual(new Set([fixed]));
	await waitForIdle(terminal);
	await quit(terminal);
	expect(readdirSync(folder).filter(name => !names.includes(name) && !name.endsWith('.tmp'))).toEqual([]);
});

test('[17] a session whose /undo was killed is resumed by -p with its files restored', async () => {
	const {folder, home, host, texts} = await killedUndo();
	const {env, args} = connectedTo(host);
	const {stderr} = await runInProcess(['-c', '-p', 'what now?', ...args], {env, home, folder});
	expect(new Set(texts())).toEqual(new Set([poem]));
	expect(JSON.stringify(host.chats().at(-1))).toContain('Undid changes to 20 files');
	expect(stderr).not.toContain('fault');
});
