import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {openLines} from './lines-in-process.ts';
import {type Answer, startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';
import {startTerminal, type TestTerminal} from './terminal.ts';

const env = {ACCESSIBLE: '1'};

const writes =
	(content: string) =>
	({call, finish}: Answer) => {
		call('write_file', {path: 'new.txt', content});
		finish();
	};

const says = ({say, finish}: Answer) => {
	say('That is all.');
	finish();
};

/** The app as lines, with a host that the test scripts as its model. */
async function startLines() {
	const host = await startModelHost();
	const connected = connectedTo(host);
	const folder = folderWith();
	const terminal = startTerminal({folder, args: connected.args, env: {...connected.env, ...env}});
	await terminal.waitFor(/^You: $/m);
	const file = join(folder, 'new.txt');
	return {host, terminal, read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)};
}

/** Longer than a question ignores what was typed, in milliseconds. */
const guardMs = 500;

/** Waits until a question takes answers. */
async function answerable(terminal: TestTerminal, question: string): Promise<void> {
	await terminal.waitFor(question);
	const shownAt = performance.now();
	await expect.poll(() => performance.now() - shownAt > guardMs).toBe(true);
}

test('[4] a key that was typed before a question appeared does not answer it, even if Enter follows later', async () => {
	const {host, terminal, read} = await startLines();
	let release: () => void = () => undefined;
	const typed = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(async answer => {
		await typed;
		writes('one\n')(answer);
	}, says);
	terminal.type('write it\r');
	await terminal.waitFor('Working');
	terminal.type('y');
	await terminal.waitFor(/Working.*\n+.*y/);
	release();
	await answerable(terminal, '1. Yes, once (key y)');
	terminal.press('enter');
	await terminal.waitFor(/you typed that before the question|That is all/);
	expect(read()).toBe(undefined);
});

test('a diff is printed whole with its question, and the plan of a run with its states', async () => {
	const {host, type, answer, waitFor, written, read} = await openLines();
	const lines = Array.from({length: 60}, (_, index) => `line ${index + 1}\n`).join('');
	host.answerWith(
		({call, finish}) => {
			call('todo', {
				items: [
					{text: 'Write it', state: 'active'},
					{text: 'Read it', state: 'pending'},
				],
			});
			finish();
		},
		writes(lines),
		says,
	);
	type('write it');
	await waitFor('1. Yes, once (key y)');
	expect(written()).toMatch(/Write it.*\n.*Read it/);
	expect(written()).toMatch(/new\.txt · \+60 −0\n +1 \+ line 1\n[\s\S]* 60 \+ line 60\nCreate/);
	await answer('Enter for no: ', '1');
	await waitFor(/That is all\.\nReady\..*\nYou: $/);
	expect(read('new.txt')).toBe(lines);
});

test('/plan refuses edits, asks about the plan in words, and carries it out once accepted', async () => {
	const {host, type, answer, waitFor, written, read} = await openLines();
	host.answerWith(writes('planned\n'), says, writes('planned\n'), says);
	type('/plan');
	await waitFor(/Plan mode: .*\n+You: \s*$/);
	type('write it');
	await waitFor('2. Yes, in edits mode (key e)');
	expect(read('new.txt')).toBe(undefined);
	await answer('Enter for no: ', 'e');
	await waitFor(/Type it again to keep: edits mode · until you select another mode\.\n.*Enter for no: $/);
	await answer('Enter for no: ', 'e');
	await expect.poll(() => written().split('That is all.').length).toBe(3);
	expect(read('new.txt')).toBe('planned\n');
});

test('Ctrl+C at a question refuses it and interrupts the run, clears a line without Enter, and then quits', async () => {
	const {host, terminal, read} = await startLines();
	host.answerWith(writes('x\n'), async answer => {
		answer.say('On and on');
		await answer.closed;
	});
	terminal.type('write it\r');
	await answerable(terminal, '1. Yes, once (key y)');
	terminal.press('ctrl+c');
	await terminal.waitFor(/Interrupted\.[\s\S]*Ready\..*\nYou: \s*$/);
	expect(host.chats()).toHaveLength(1);
	terminal.type('write more\r');
	await expect.poll(() => host.chats().length).toBe(2);
	terminal.press('ctrl+c');
	await terminal.waitFor(/On and on[\s\S]*Interrupted\.[\s\S]*Ready\..*\nYou: \s*$/);
	expect(read()).toBe(undefined);
	// More often than a process may listen without a warning of Node.
	for (let cleared = 1; cleared <= 11; cleared++) {
		terminal.press('ctrl+c');
		await terminal.waitFor(new RegExp(`(?:Line cleared[\\s\\S]*){${cleared}}quit\\.\\s+You: \\s*$`));
		terminal.type('\r');
		await terminal.waitFor(/quit\.\s+You: \s*\nYou: \s*$/);
	}

	expect(terminal.text()).not.toContain('Warning');
	terminal.type('half a mess');
	await terminal.waitFor('You: half a mess');
	terminal.press('ctrl+c');
	await terminal.waitFor(/Line cleared\. Press Ctrl\+C again to quit\.\s+You: \s*$/);
	terminal.press('ctrl+c');
	expect(await terminal.exit()).toMatchObject({signal: 0});
	expect(host.chats()).toHaveLength(2);
});

test('--accessible counts in a command of the shell, too, and only then', async () => {
	const {stdout} = await runInProcess(['config', 'get', 'accessible', '--accessible', '--json']);
	expect(JSON.parse(stdout)).toMatchObject({value: true, source: 'flag'});
	expect(JSON.parse((await runInProcess(['config', 'get', 'accessible', '--json'])).stdout).value).toBe(false);
});
