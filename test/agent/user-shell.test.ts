import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createUserShell} from '../../src/agent/user-shell.ts';
import {processesWith} from '../session/open-program.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const path = process.env['PATH'] ?? '';

/** Runs a command in a new folder. */
function run(
	command: string,
	{env = {}, signal = new AbortController().signal, folder = temporaryFolder(), pieces = [] as string[]} = {},
) {
	const shell = createUserShell({PATH: path, SHELL: '/bin/sh', ...env});
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
