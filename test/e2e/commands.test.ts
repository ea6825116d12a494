import {existsSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {hasBubblewrap, skipped} from '../agent/sandbox/needs-bubblewrap.ts';
import {expectStill} from '../agent/tools/command/expect-still.ts';
import {openChat} from './app-in-process.ts';
import {quit, startChat, waitForIdle} from './chat.ts';
import type {Answer} from './model-host.ts';
import {folderWith} from './program.ts';

const run =
	(command: string, more = {}) =>
	({call, finish}: Answer) => {
		call('run_command', {command, ...more});
		finish();
	};
const done = ({say, finish}: Answer) => {
	say('That is all.');
	finish();
};

/** Waits for a file of the test, at most about ten seconds. */
const waiting = 'echo first line; for i in $(seq 200); do [ -e go ] && break; sleep 0.05; done; echo last line; exit 3';

test('a command is asked for, streams while it runs, and ends with its status', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(run(waiting), done);
	terminal.type('run it\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor(/first line/);
	expect(terminal.text()).not.toContain('last line\n');
	writeFileSync(join(folder, 'go'), '');
	await terminal.waitFor('That is all.');
	expect(host.chats().at(-1)?.at(-1)).toMatch(/first line\nlast line\n\[exit status 3 after [\d.]+ m?s\]$/);
	await waitForIdle(terminal);
	await quit(terminal);
});

test('Esc ends a command and what it started', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(run('(while sleep 0.05; do touch alive; done) & echo started; wait'));
	terminal.type('run it\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor('· started');
	terminal.press('escape');
	await terminal.waitFor('interrupted');
	await waitForIdle(terminal);
	await quit(terminal);
	expect(readdirSync(folder).filter(name => name !== 'alive')).toEqual(['a.txt']);
	expect(existsSync(join(folder, '.git'))).toBe(false);
});

test('Ctrl+C on a command that ignores SIGTERM says stopping, and it is gone when the run has ended', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	host.answerWith(run("trap '' TERM INT; echo started; while :; do touch alive; sleep 0.05; done"), done);
	terminal.type('run it\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor('· started');
	terminal.press('ctrl+c');
	await terminal.waitFor(() => terminal.status().includes('● stopping'));
	await waitForIdle(terminal);
	rmSync(join(folder, 'alive'), {force: true});
	terminal.type('go on\r');
	await terminal.waitFor('That is all.');
	await waitForIdle(terminal);
	await quit(terminal);
	expect(readdirSync(folder)).toEqual(['a.txt']);
});

test('Ctrl+B sends a running command to the background, where it is listed, read and ended as a job', async () => {
	const folder = folderWith({'a.txt': 'a'});
	const {host, terminal} = await startChat({folder});
	const server = 'echo first line; until [ -e go ]; do sleep 0.05; done; echo last line; touch went; sleep 600';
	host.answerWith(run(server), done);
	terminal.type('run it\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor(/Run echo first.* · Ctrl\+B background · first line/);
	terminal.type('\u0002');
	await terminal.waitFor('That is all.');
	expect(host.chats().at(-1)?.at(-1)).toBe(
		'tool: first line\n[The user sent it to the background.] Started as job 1. Read it with job_output, end it with job_stop.',
	);
	await terminal.waitFor(() => terminal.status().includes('1 job'));
	expect(terminal.text()).toContain('in the background as job 1');
	expect(terminal.text()).not.toContain('job_output');
	writeFileSync(join(folder, 'go'), '');
	await terminal.waitFor(() => existsSync(join(folder, 'went')));
	terminal.type('/jobs\r');
	await terminal.waitFor(/running for .* last line /);
	terminal.type('/jobs stop\r');
	await terminal.waitFor('Stopped job 1.');
	await terminal.waitFor(() => !terminal.status().includes('1 job'));
	await quit(terminal);
});

test('Esc at a question of the agent ends the question, and the next message is answered', async () => {
	const {host, terminal} = await openChat();
	const ask = ({call, finish}: Answer) => {
		call('ask_user', {question: 'Which one?', choices: [{label: 'SQLite'}, {label: 'PostgreSQL'}]});
		finish();
	};
	host.answerWith(ask, done);
	terminal.type('choose\r');
	await terminal.waitFor('Which one?');
	await terminal.waitFor('Esc cancel');
	terminal.press('escape');
	await waitForIdle(terminal);
	terminal.type('go on\r');
	await terminal.waitFor(/go on[\s\S]*That is all\./);
	await waitForIdle(terminal);
	await quit(terminal);
});

test.skipIf(!hasBubblewrap)(`kill -9 of the program leaves no command behind${skipped}`, async () => {
	const folder = folderWith({'loop.sh': 'while sleep 0.05; do touch alive; done\n'});
	const {host, terminal} = await startChat({folder});
	host.answerWith(run('setsid sh loop.sh & sleep 60', {background: true}), done);
	terminal.type('run it\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor('That is all.');
	await terminal.waitFor(() => existsSync(join(folder, 'alive')) && terminal.status().includes('1 job'));
	terminal.kill('SIGKILL');
	await expectStill(join(folder, 'alive'));
});
