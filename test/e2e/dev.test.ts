import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {quit, waitForIdle} from './chat.ts';
import {folderWith, program} from './program.ts';
import {startTerminal, type TestTerminal} from './terminal.ts';

const loop = pathToFileURL(join(import.meta.dirname, '../../.scripts/dev-loop.mjs')).href;

/** Starts the loop in a terminal: its sources are one file, and a build fails while that holds `broken`. */
function startLoop(
	started: string,
	args: readonly string[] = [],
): {readonly terminal: TestTerminal; readonly change: (text: string) => void} {
	const folder = folderWith({'source.txt': 'first', 'start.mjs': ''});
	const source = join(folder, 'source.txt');
	const script = `
		import {execFileSync} from 'node:child_process';
		import {readFileSync} from 'node:fs';
		import {devLoop, startNode} from ${JSON.stringify(loop)};
		process.exitCode = await devLoop({
			paths: [${JSON.stringify(source)}],
			build: async () => {
				const text = readFileSync(${JSON.stringify(source)}, 'utf8');
				const modes = execFileSync('stty', ['-a'], {stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8'});
				console.log('built ' + text + (/ icanon/.test(modes) ? ' in line mode' : ' in raw mode'));
				return text !== 'broken';
			},
			start: () => startNode([${started}, ...process.argv.slice(2)]),
		});
		console.log('loop ended');
	`;
	writeFileSync(join(folder, 'start.mjs'), script);
	const terminal = startTerminal({shell: {file: process.execPath, args: [join(folder, 'start.mjs')]}, args});
	return {terminal, change: text => writeFileSync(source, text)};
}

test('a change rebuilds and restarts the program with its arguments, and its status is passed on', async () => {
	const code =
		"console.log('started ' + process.argv.slice(1).join('|')); process.stdin.once('data', () => process.exit(7));";
	const {terminal, change} = startLoop(`'-e', ${JSON.stringify(code)}, '--'`, ['-x', 'a b']);
	await terminal.waitFor('started -x|a b');
	change('second');
	await terminal.waitFor(/built first [\s\S]*started -x\|a b\n[\s\S]*built second [\s\S]*started -x\|a b/);
	terminal.press('enter');
	expect((await terminal.exit()).status).toBe(7);
	expect(terminal.text()).toContain('loop ended');
});

test('after a failed build the loop waits for the next change', async () => {
	const {terminal, change} = startLoop(`'-e', "console.log('started'); process.stdin.resume()", '--'`);
	await terminal.waitFor('started');
	change('broken');
	await terminal.waitFor(/built broken [\s\S]*The build failed\. Waiting for a change\./);
	change('third');
	await terminal.waitFor(/built third [\s\S]*started/);
});

test('the app leaves the terminal as it was before it is started again', async () => {
	const {terminal, change} = startLoop(JSON.stringify(program));
	await waitForIdle(terminal);
	terminal.type('unsent');
	await terminal.waitFor('unsent');
	change('second');
	await terminal.waitFor('built second in line mode');
	await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
	const [, whileStopped = ''] = /built second in line mode([\s\S]*)/.exec(terminal.output()) ?? [];
	const [, before = ''] = /^([\s\S]*)built second/.exec(terminal.output()) ?? [];
	expect(before.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(before.lastIndexOf('\u001b[?2004h'));
	expect(whileStopped).toContain('\u001b[?2004h');
	await waitForIdle(terminal);
	expect((await quit(terminal)).status).toBe(0);
	expect(terminal.text()).toContain('loop ended');
});
