import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {type Chat, startChat} from './chat.ts';
import {program} from './program.ts';
import type {TestTerminal} from './terminal.ts';

/**
 * The app as a job of a shell that tells when it was stopped, with the terminal as every shell wants it, and continues it
 * with `go` at the next Enter.
 */
function startJob(go = 'fg'): Promise<Chat> {
	const script = `set -m; node ${program} "$@"; for go in 1 2 3; do stty sane; echo stopped; read line; ${go}; done`;
	return startChat({shell: {file: 'bash', args: ['--norc', '--noprofile', '-c', script, 'bash']}});
}

/** The process of the app, which the shell started. */
function appOf(shell: TestTerminal): number {
	return Number(execFileSync('pgrep', ['-P', String(shell.pid)], {encoding: 'utf8'}).split('\n')[0]);
}

/** What the terminal was told last of a mode that one sequence switches on and another one off. */
function lastSwitch(terminal: TestTerminal, mode: number): string | undefined {
	return terminal
		.output()
		.match(new RegExp(`\\u001b\\[\\?${mode}[hl]`, 'g'))
		?.at(-1)
		?.slice(-1);
}

async function stopWith(terminal: TestTerminal, stop: () => void): Promise<void> {
	const before = terminal.output().split('stopped').length;
	stop();
	await terminal.waitFor(() => terminal.output().split('stopped').length > before);
}

async function resume(terminal: TestTerminal): Promise<void> {
	terminal.press('enter');
	await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
	await terminal.waitFor(() => terminal.status().includes('○ idle'));
}

test('Ctrl+Z leaves the shell a visible cursor and rows that wrap, and a window that was resized meanwhile is drawn at its new size', async () => {
	const {terminal} = await startJob();
	expect([lastSwitch(terminal, 25), lastSwitch(terminal, 7)]).toEqual(['h', 'l']);
	await stopWith(terminal, () => terminal.press('ctrl+z'));
	expect([lastSwitch(terminal, 25), lastSwitch(terminal, 7)]).toEqual(['h', 'h']);
	// Wider: a row that is drawn for a wider window than there is would be cut to the right length.
	terminal.resize(100, 30);
	await resume(terminal);
	expect([lastSwitch(terminal, 25), lastSwitch(terminal, 7)]).toEqual(['h', 'l']);
	const rules = () => terminal.screen().filter(line => /^─+$/.test(line));
	await terminal.waitFor(() => rules().length === 1 && rules()[0]?.length === 100);
});

test('after SIGSTOP the keys work, and no line is echoed twice', async () => {
	const {terminal} = await startJob();
	terminal.type('half');
	await terminal.waitFor('❯ half');
	await stopWith(terminal, () => process.kill(appOf(terminal), 'SIGSTOP'));
	terminal.press('enter');
	await terminal.waitFor(() => /❯ half$/m.test(terminal.screen().join('\n')));
	terminal.type(' a thought');
	await terminal.waitFor(() => /❯ half a thought$/m.test(terminal.screen().join('\n')));
	terminal.press('left');
	terminal.type('X');
	await terminal.waitFor(() => /❯ half a thoughXt$/m.test(terminal.screen().join('\n')));
});

test('a full-screen view returns as it was, and so does the conversation below it', async () => {
	const {terminal} = await startJob();
	terminal.type('/help quit\r');
	await terminal.waitFor('Usage: /quit');
	terminal.type('\u000f');
	await terminal.waitFor('Transcript');
	await stopWith(terminal, () => terminal.press('ctrl+z'));
	expect([lastSwitch(terminal, 1049), lastSwitch(terminal, 25), lastSwitch(terminal, 7)]).toEqual(['l', 'h', 'h']);
	terminal.press('enter');
	await terminal.waitFor(() => terminal.screen()[0]?.startsWith('Transcript') === true);
	expect(lastSwitch(terminal, 25)).toBe('l');
	terminal.press('escape');
	await terminal.waitFor(() => terminal.status().includes('○ idle'));
	expect(terminal.screen().filter(line => line.includes('Usage: /quit'))).toHaveLength(1);
	expect(lastSwitch(terminal, 25)).toBe('h');
});

test('a job that continues in the background leaves the terminal to the shell', async () => {
	const {terminal} = await startJob('$line');
	await stopWith(terminal, () => terminal.press('ctrl+z'));
	const app = appOf(terminal);
	await stopWith(terminal, () => terminal.type('bg\r'));
	await terminal.waitFor(() => execFileSync('ps', ['-o', 'state=', '-p', String(app)], {encoding: 'utf8'})[0] === 'T');
	expect([2004, 25, 7].map(mode => lastSwitch(terminal, mode))).toEqual(['l', 'h', 'h']);
	terminal.type('fg\r');
	await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
	await terminal.waitFor(() => terminal.status().includes('○ idle'));
});

test('a signal that ends the app leaves a visible cursor and rows that wrap', async () => {
	const {terminal} = await startChat();
	terminal.kill('SIGTERM');
	await terminal.exit();
	expect([lastSwitch(terminal, 25), lastSwitch(terminal, 7)]).toEqual(['h', 'h']);
});
