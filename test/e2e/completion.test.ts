import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {mostFor} from '../stored-cost.ts';
import {environmentOf, folderWith, program, runProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

const scripts = new Map<string, Promise<string>>();

/** Returns what the program writes for a shell; it is asked once. */
function scriptFor(shell: string): Promise<string> {
	const script =
		scripts.get(shell) ??
		runProgram(['completion', shell]).then(({status, stdout}) => {
			expect(status).toBe(0);
			return stdout;
		});
	scripts.set(shell, script);
	return script;
}

/** A folder with `service` in it, as it is installed, and each shell's script. */
async function installed(shell: 'bash' | 'zsh' | 'fish') {
	const folder = folderWith();
	const command = join(folder, 'service');
	writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
	chmodSync(command, 0o755);
	const script = join(folder, `completion.${shell}`);
	writeFileSync(script, await scriptFor(shell));
	const env = environmentOf({
		home: join(folder, 'home'),
		env: {PATH: [folder, process.env['PATH']].join(delimiter)},
	});
	return {folder, script, env};
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

describe('bash', () => {
	test.each([
		['service ke', 'ke', ['keys', 'keys-help']],
		['service keys ', '', ['set', 'list', 'remove']],
		['service keys set an', 'an', ['anthropic']],
		['service keys set --ba', '--ba', ['--base-url']],
		['service --output-format=js', 'js', ['json']],
		['service   keys   re', 're', ['remove']],
		['service ghost ', '', []],
		["service keys 'se", 'se', ['set']],
		['service -p "What is this?" --output-format=js', 'js', ['json']],
		["service env create 'my task' --tim", '--tim', ['--timeout']],
		['service env create my\\ task --tim', '--tim', ['--timeout']],
	])('completes %j', async (line, word, expected) => {
		const {script, env} = await installed('bash');
		const answer = 'printf "%s\\n" "${COMPREPLY[@]}"';
		const ask = `source "$1"; COMP_LINE=$2; COMP_POINT=1000; _service_completion service "$3" x; ${answer}`;
		const found = execFileSync('bash', ['--norc', '-c', ask, 'bash', script, line, word], {env, encoding: 'utf8'});
		expect(found.split('\n').filter(Boolean)).toEqual(expected);
	});

	test.each([
		[9, ['list', 'get', 'set', 'unset']],
		[
			63,
			[
				expect.stringMatching(/^list {2}Show every setting/),
				...Array.from({length: 3}, () => expect.stringContaining('  ')),
			],
		],
	])('lists what words mean with its second Tab alone: %i', async (type, expected) => {
		const {script, env} = await installed('bash');
		const ask = `source "$1"; COMP_TYPE=${type}; COMP_LINE='service config '; COMP_POINT=1000; _service_completion service "" x; printf "%s\\n" "\${COMPREPLY[@]}"`;
		const found = execFileSync('bash', ['--norc', '-c', ask, 'bash', script], {env, encoding: 'utf8'});
		expect(found.split('\n').filter(Boolean)).toEqual(expected);
	});

	test('completes at its prompt when Tab is pressed', async () => {
		const {script, env} = await installed('bash');
		const shell = {file: 'bash', args: ['--norc', '--noprofile', '-i']};
		const terminal = startTerminal({shell, env: {...env, PS1: '$ '}});
		// Another prompt tells that the script was read; the first one may be there before the line is.
		terminal.type(`source ${script}; PS1='> '; clear\r`);
		await terminal.waitFor(() => terminal.screen()[0]?.trim() === '>');
		terminal.type('service approv\t');
		await terminal.waitFor('> service approvals ');
		terminal.type('\u0015service keys rem\tanth\t');
		await terminal.waitFor('> service keys remove anthropic');
		terminal.type('\u0015');
		terminal.type('service env create "my task" --tim\t');
		await terminal.waitFor('> service env create "my task" --timeout ');
		terminal.kill();
	});
});

test.runIf(has('zsh'))('zsh reads its script', async () => {
	const {script, env} = await installed('zsh');
	const checked = spawnSync('zsh', ['-f', '-n', script], {env, encoding: 'utf8'});
	expect([checked.status, checked.stderr]).toEqual([0, '']);
});

test.runIf(has('fish'))('fish completes names and values', async () => {
	const {script, env} = await installed('fish');
	const ask = `source ${script}; complete -C 'service keys set an'`;
	const found = execFileSync('fish', ['--no-config', '-c', ask], {env, encoding: 'utf8'});
	expect(found.trim()).toBe('anthropic');
});

test.runIf(existsSync('/proc/self/io'))('a completion reads hardly more bytes than it did', async () => {
	const {env} = await installed('bash');
	// Of this process and its children that have ended: proc(5).
	const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
	const before = bytesRead();
	spawnSync(process.execPath, [program, '__complete', '--', 'profile', 'use', ''], {env});
	expect(bytesRead() - before).toBeLessThan(mostFor(4_250_000));
});

test('the hidden command is in no help', async () => {
	const {stdout} = await runProgram(['help']);
	expect(stdout).not.toContain('__complete');
	expect(stdout).toContain('completion');
});

test('an unknown shell is rejected with the list of known ones', async () => {
	expect(await runProgram(['completion', 'tcsh'])).toMatchObject({
		status: 2,
		stderr: 'service: <shell> must be one of bash, zsh, fish.\n',
	});
});
