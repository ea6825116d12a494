import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp, openChat} from './app-in-process.ts';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {folderWith} from './program.ts';
import type {TerminalView} from './terminal-view.ts';

/** Returns the colours of the last place where a text is on the screen: -1 is the terminal's own. */
function colorsOf(text: string, {emulator, screen}: TerminalView): readonly number[] {
	const row = screen().findLastIndex(line => line.includes(text));
	const {active} = emulator.buffer;
	const line = active.getLine(active.viewportY + row);
	const from = screen()[row]?.indexOf(text) ?? -1;
	const cells = Array.from({length: text.length}, (_, index) => line?.getCell(from + index));
	return [...new Set(cells.map(cell => (cell?.isFgDefault() ? -1 : (cell?.getFgColor() ?? -1))))];
}

/** Prints a key of GitHub with a colour inside, and what may not be seen of it. */
const report = 'printf "$1 \\033[$2mred\\033[0m ghp_0123\\033[35m456789abcdef\\033[0mghijABCDEFGHIJ012345\\n"\n';
const parts = ['ghp_0123', '456789abcdef', 'ghijABCDEFGHIJ'];

/** Returns all that the sessions of a home have recorded. */
function recorded(home: string): string {
	const files = readdirSync(join(home, 'sessions'), {recursive: true, encoding: 'utf8'});
	return files
		.filter(name => name.endsWith('.jsonl'))
		.map(name => readFileSync(join(home, 'sessions', name), 'utf8'))
		.join('');
}

test('colours of commands are drawn at once, in the transcript and when a session is resumed; nobody else gets them', async () => {
	const [folder, home] = [folderWith({'report.sh': report}), `${folderWith()}/home`];
	const {host, terminal} = await openChat({folder, home});
	terminal.type('!sh report.sh own 31\r');
	await terminal.waitFor(/own red \*\*\*/);
	await waitForIdle(terminal);
	expect(colorsOf('red', terminal)).toEqual([1]);

	host.answerWith(
		({call, finish}) => {
			call('run_command', {command: 'sh report.sh agent 32'});
			finish();
		},
		({say, finish}) => {
			say('That is all.');
			finish();
		},
	);
	terminal.type('go\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor('That is all.');
	await waitForIdle(terminal);
	const shown = (view: TerminalView) => ['own red', 'agent red'].map(text => colorsOf(text, view));
	expect(shown(terminal)).toEqual([
		[-1, 1],
		[-1, 2],
	]);
	const told = host.chats().at(-1)?.join('\n') ?? '';
	expect(told).toContain('own red ***');
	expect(told).toContain('agent red ***\n[exit status 0');
	terminal.type('\u000f');
	await terminal.waitFor('Transcript');
	expect(shown(terminal)).toEqual([
		[-1, 1],
		[-1, 2],
	]);
	terminal.press('escape');
	await waitForIdle(terminal);
	await quit(terminal);

	const {env, args} = connectedTo(host);
	const again = openApp({folder, home, env, args: [...args, '-c']});
	await again.waitFor('That is all.');
	await waitForIdle(again);
	expect(shown(again)).toEqual([
		[-1, 1],
		[-1, 2],
	]);
	await quit(again);

	const place = {folder, home, env};
	const exported = await Promise.all(
		[['--events'], ['--format', 'json'], ['--format', 'markdown']].map(flags =>
			runInProcess(['export', ...flags], place),
		),
	);
	for (const {stdout} of exported) {
		expect(stdout).toContain('agent red');
		expect(stdout).not.toMatch(/\u001B|\\u001b|"styles"/);
	}

	const journal = recorded(home);
	expect(journal).toContain('"styles":"4+3:31"');
	const everywhere = [journal, terminal.output(), again.output(), told, ...exported.map(({stdout}) => stdout)].join(
		'\n',
	);
	expect(parts.filter(part => everywhere.includes(part))).toEqual([]);
});
