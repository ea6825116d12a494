import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {spawn} from '@lydell/node-pty';
import {buildSync} from 'esbuild';
import {afterAll, expect, test} from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'service-suspend-'));
afterAll(() => rmSync(folder, {recursive: true}));

const source = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src/terminal', name));
const program = join(folder, 'program.mjs');
writeFileSync(
	join(folder, 'program.ts'),
	`import {createInput} from ${source('input/input.ts')};
import {chordOf} from ${source('input/token.ts')};
import {createTerminalSession} from ${source('terminal-session.ts')};
const input = createInput({stdin: process.stdin, onTokens(tokens) {
	for (const token of tokens) {
		const chord = token.type === 'key' ? chordOf(token) : token.type === 'text' ? token.text : '';
		process.stdout.write('<' + chord + '>');
		if (chord === 'ctrl+z') session.suspend();
		if (chord === 'ctrl+c') { session.end(); input.stop(); }
	}
}});
const onResume = () => { input.start(); process.stdout.write('resumed'); };
const session = createTerminalSession({stdout: process.stdout, process, environment: {TERM: 'xterm'}, onSuspend: input.stop, onResume});
session.start();
session.enable('hidden-cursor');
input.start();
process.stdout.write('ready ' + process.pid + '!');
`,
);
buildSync({entryPoints: [join(folder, 'program.ts')], outfile: program, bundle: true, platform: 'node', format: 'esm'});

/** A shell in a real terminal. */
function openShell(command: string, ...flags: readonly string[]) {
	const environment = {...process.env, PS1: '$ ', TERM: 'dumb'};
	const shell = spawn(command, [...flags], {cols: 100, rows: 30, env: environment});
	let output = '';
	const listeners = new Set<() => void>();
	shell.onData(text => {
		output += text;
		for (const listener of listeners) {
			listener();
		}
	});

	/** Writes `input`, waits for `expected`, and returns the output up to it. */
	const send = async (input: string, expected: string): Promise<string> => {
		output = '';
		shell.write(input);
		return new Promise(resolve => {
			const listener = () => {
				const index = output.indexOf(expected);
				if (index !== -1) {
					listeners.delete(listener);
					resolve(output.slice(0, index + expected.length));
				}
			};
			listeners.add(listener);
			listener();
		});
	};

	return {send, close: () => shell.kill()};
}

const run = `'${process.execPath}' '${program}'`;

test('Ctrl+Z in a shell stops us with the terminal restored, and fg restores the modes and keys [5]', async () => {
	const {send, close} = openShell('bash', '--norc', '--noediting', '-i');
	try {
		await send(`${run}\r`, '!');
		expect(await send('\u001a', 'Stopped')).toContain('<ctrl+z>\u001b[?25h\u001b[0m');
		expect(await send('stty -a\r', 'iexten')).toMatch(/[^-]icanon/);
		expect(await send('fg\r', 'resumed')).toContain('\u001b[?25lresumed');
		// There was no other output: it was resumed once.
		expect(await send('é', '<é>')).toBe('<é>');
		expect(await send('\u0003', '$ ')).toContain('<ctrl+c>\u001b[?25h\u001b[0m');
	} finally {
		close();
	}
});

test('a signal that ends us leaves no raw terminal behind [5]', async () => {
	// A shell that runs a script does not repair the terminal by itself.
	const {send, close} = openShell('sh', '-c', `read go; ${run}; stty -a; read end`);
	try {
		const [, pid = ''] = /ready (\d+)/.exec(await send('\r', '!')) ?? [];
		process.kill(Number(pid), 'SIGTERM');
		expect(await send('', 'iexten')).toMatch(/[^-]icanon/);
	} finally {
		close();
	}
});
