import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import type {Answer} from './model-host.ts';
import {folderWith} from './program.ts';

const run =
	(command: string) =>
	({call, finish}: Answer) => {
		call('run_command', {command});
		finish();
	};

const edit = ({call, finish}: Answer) => {
	call('write_file', {path: 'new.txt', content: 'new\n'});
	finish();
};

const done = ({say, finish}: Answer) => {
	say('That is all.');
	finish();
};

test('Shift+Tab selects plan mode, which refuses edits; the accepted plan writes without asking', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(edit, done, edit, done);
	terminal.type('\u001b[Z\u001b[Z');
	await terminal.waitFor('plan ❯');
	await terminal.waitFor('plan mode');
	terminal.type('write it\r');
	await terminal.waitFor('e  Yes, in edits mode');
	expect(host.chats().at(-1)?.at(-1)).toContain('Not allowed in plan mode');
	expect(readdirSync(folder)).toEqual(['a.txt']);
	terminal.type('e');
	await terminal.waitFor('Press e again to keep: edits mode · until you select another mode');
	await terminal.waitFor('e  Yes, in edits mode');
	terminal.type('e');
	await terminal.waitFor('edits ❯');
	await expect.poll(() => existsSync(join(folder, 'new.txt'))).toBe(true);
	await waitForIdle(terminal);
	expect(host.chats().at(-1)).toContain('user: Carry out the plan.');
	await quit(terminal);
});

test('a rule for the session is asked for once; what the user edited is what runs [4]', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(run('touch one'), run('touch two'), run('sh -c "touch three"'), done);
	terminal.type('run them\r');
	await terminal.waitFor('s  Yes, and allow touch * this session');
	terminal.type('s');
	await terminal.waitFor('Press s again to keep: touch * · this session · until you leave it');
	await terminal.waitFor('s  Yes, and allow touch * this session');
	terminal.type('s');
	// The second one has no question; the third isn't covered by the rule.
	await terminal.waitFor(/touch three[\s\S]*y {2}Yes, once/);
	expect(readdirSync(folder)).toEqual(['a.txt', 'one', 'two']);
	terminal.type('e');
	await terminal.waitFor('Enter confirm');
	terminal.type('\u0001\u000btouch edited\r');
	await terminal.waitFor(/Your command[\s\S]*touch edited[\s\S]*y {2}Yes, once\n {2}e {2}Edit the command/);
	terminal.type('y');
	await terminal.waitFor('That is all.');
	expect(readdirSync(folder)).toEqual(['a.txt', 'edited', 'one', 'two']);
	expect(host.chats().at(-1)?.at(-1)).toContain('[The user changed the command to: touch edited]');
	terminal.type('/approvals\r');
	await terminal.waitFor(/1 {2}allow {3}run_command\(touch \*\) {2}this session {2}touch two/);
	await waitForIdle(terminal);
	await quit(terminal);
});

test('a refusal carries its reason to the model', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(run('touch one'), done);
	terminal.type('run it\r');
	await terminal.waitFor('r  No, and say why');
	terminal.type('r');
	await terminal.waitFor('What should the model do instead?');
	terminal.type('Read the manual\r');
	await terminal.waitFor('That is all.');
	expect(host.chats().at(-1)?.at(-1)).toContain('It did not run. They said: Read the manual');
	expect(readdirSync(folder)).toEqual(['a.txt']);
	await waitForIdle(terminal);
	await quit(terminal);
});
