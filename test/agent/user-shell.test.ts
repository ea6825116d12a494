import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createForeground} from '../../src/agent/tools/command/foreground.ts';
import {createJobs} from '../../src/agent/tools/command/jobs.ts';
import {createUserShell} from '../../src/agent/user-shell.ts';
import {processesWith} from '../session/open-program.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {git} from './tools/workspace.ts';

const path = process.env['PATH'] ?? '';

/** Runs a command in a new folder. */
function run(
	command: string,
	{
		env = {},
		signal = new AbortController().signal,
		folder = temporaryFolder(),
		pieces = [] as string[],
		foreground = createForeground(createJobs()),
	} = {},
) {
	const shell = createUserShell({PATH: path, SHELL: '/bin/sh', ...env}, foreground);
	const onOutput = (text: string) => pieces.push(text);
	return shell(command, {folder, signal, onOutput}).then(end => ({...end, pieces: pieces.join('')}));
}

test('a command runs in the folder, with both outputs in order and its exit status', async () => {
	const folder = temporaryFolder();
	const result = await run('pwd; echo wrong >&2; exit 3', {folder});
	expect(result).toMatchObject({output: `${folder}\nwrong`, status: 'failed'});
	expect(result.end).toMatch(/^exit status 3 after /);
	expect(result.pieces.trimEnd()).toBe(`${folder}\nwrong`);
	expect(await run('cat; echo done')).toMatchObject({output: 'done', status: 'done'});
});

test("it runs in the user's own shell and environment, without the keys of this program [8]", async () => {
	const env = {MY_SETTING: 'mine', ANTHROPIC_API_KEY: 'sk-ant-0123456789', SERVICE_API_KEY: 'key-0123456789'};
	const {output} = await run('echo "$0 $MY_SETTING [$ANTHROPIC_API_KEY$SERVICE_API_KEY] $PAGER"', {env});
	expect(output).toBe('/bin/sh mine [] cat');
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'shell'), '#!/bin/sh\necho "own shell: $2"\n', {mode: 0o755});
	expect((await run('x | y', {env: {SHELL: join(folder, 'shell')}})).output).toBe('own shell: x | y');
	expect((await run('echo $0', {env: {SHELL: 'relative/sh'}})).output).toMatch(/^\/(?:usr\/)?bin\/(?:ba)?sh$/);
	await expect(run('x', {env: {SHELL: '/nowhere/sh'}})).resolves.toMatchObject({status: 'failed'});
});

describe('colours of a command', () => {
	const repository = () => {
		const folder = temporaryFolder();
		for (const args of [
			['init', '-q'],
			['config', 'user.name', 'A'],
			['config', 'user.email', 'a@example.com'],
		]) {
			git(folder, ...args);
		}

		writeFileSync(join(folder, 'file'), '');
		git(folder, 'add', '.');
		return folder;
	};

	test('are kept beside its text, which has none', async () => {
		expect(await run("printf 'a \\033[31mred\\033[0m\\n\\033[1;44mb'")).toMatchObject({
			output: 'a red\nb',
			styles: '2+3:31 6+1:1;44',
			pieces: 'a red\nb\n',
		});
	});

	test('are possible, but no program below it is told to use them', async () => {
		const shown = 'echo "$TERM [$NO_COLOR$FORCE_COLOR$CLICOLOR_FORCE$GIT_CONFIG_COUNT]"';
		expect((await run(shown)).output).toBe('xterm-256color []');
		expect((await run(shown, {env: {FORCE_COLOR: '2'}})).output).toBe('xterm-256color [2]');
	});

	test.each([{NO_COLOR: '1'}, {TERM: 'dumb'}, {ACCESSIBLE: '1'}])('are not for a user with %j', async env => {
		const folder = repository();
		expect((await run('echo "$TERM [$NO_COLOR]"', {env})).output).toBe('dumb [1]');
		expect((await run('git status --short', {env, folder})).styles).toBeUndefined();
	});

	test('are those of git where it is alone, prints and starts no other program', async () => {
		const folder = repository();
		expect(await run('git status --short', {folder})).toMatchObject({output: 'A  file', styles: '0+1:32'});
		expect((await run('git status --short | cat', {folder})).styles).toBeUndefined();
		await run('git status --short file > saved', {folder});
		expect((await run('cat saved', {folder})).output).toBe('A  file');
		writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\necho "[$GIT_CONFIG_COUNT]"\n', {mode: 0o755});
		expect((await run('git commit -qm first', {folder})).output).toBe('[]');
		const env = {GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'color.status.added', GIT_CONFIG_VALUE_0: 'blue'};
		writeFileSync(join(folder, 'other'), '');
		git(folder, 'add', '.');
		expect((await run('git status --short other', {folder, env})).styles).toBe('0+1:34');
	});
});

test('the output is limited to its head and tail, and masked as that of the agent', async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, '.env'), 'DB_PASSWORD=correct-horse-battery\n');
	const {output, pieces} = await run('seq 200000; cat .env; echo ghp_0123456789abcdefghijABCDEFGHIJ012345', {folder});
	expect(Buffer.byteLength(output)).toBeLessThan(32_000);
	expect(output.startsWith('1\n2\n')).toBe(true);
	expect(output).toContain('lines left out');
	expect(output).toContain('DB_PASSWORD=***');
	expect(output + pieces).not.toMatch(/correct-horse|ghp_0123/);
	expect(pieces.length).toBeLessThan(100_000);
});

test('a line is shown once, when it is complete or the command ends', async () => {
	const {pieces} = await run('printf begun; sleep 0.3; printf " goes on"; sleep 0.3; echo; printf last');
	expect(pieces).toBe('begun goes on\nlast\n');
});

test('an interrupt ends the command with everything that it started', async () => {
	const abort = new AbortController();
	const marker = `987${Date.now()}`;
	const pieces: string[] = [];
	const result = run(`sleep ${marker} & echo started; sleep ${marker}`, {signal: abort.signal, pieces});
	await expect.poll(() => pieces.join('')).toContain('started');
	await expect.poll(() => processesWith(marker).length).toBeGreaterThan(1);
	abort.abort();
	expect(await result).toMatchObject({status: 'interrupted', output: 'started'});
	expect((await result).end).toMatch(/^stopped by the user after /);
	await expect.poll(() => processesWith(marker)).toEqual([]);
});

test('a command that is sent to the background goes on as a job, and an interrupt ends it no more', async () => {
	const jobs = createJobs();
	onTestFinished(jobs.end);
	const foreground = createForeground(jobs);
	const abort = new AbortController();
	const folder = temporaryFolder();
	const pieces: string[] = [];
	const command = 'echo first; until [ -e go ]; do sleep 0.05; done; echo second; exit 3';
	const ended = run(command, {signal: abort.signal, folder, pieces, foreground});
	await expect.poll(() => pieces.join('')).toBe('first\n');
	foreground.moveToBackground();
	abort.abort();
	expect(await ended).toMatchObject({output: 'first', end: 'in the background as job 1', status: 'done'});
	const job = jobs.find('1');
	expect(job.command).toBe(command);
	writeFileSync(join(folder, 'go'), '');
	await job.done;
	expect([job.state('model'), job.takeOutput().text, job.lastOutput().text]).toEqual([
		expect.stringMatching(/^exit status 3 after /),
		'second',
		'first\nsecond',
	]);
	expect(pieces.join('')).toBe('first\n');
});
