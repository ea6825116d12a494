import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {createWorkFolder} from '../../../src/agent/tools/command/command-session.ts';
import {buildCommandPrograms} from '../../build-once.ts';
import {git, makeWorkspace} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';

const built = mkdtempSync(join(tmpdir(), 'service-killed-'));

beforeAll(() => buildCommandPrograms(built, {worker: join(import.meta.dirname, 'command-worker.ts')}));

afterAll(() => rmSync(built, {recursive: true, force: true}));

/** Starts a command in a program of its own. */
async function program(containment: 'sandbox' | 'none', commandOf: (root: string) => string) {
	const {root, workspace, stateFolder} = await makeWorkspace({'a.txt': 'a\n'});
	git(workspace, 'init', '-q');
	git(workspace, 'add', '.');
	git(workspace, 'commit', '-qm', 'one');
	mkdirSync(join(root, 'home'));
	const args = [workspace, stateFolder, join(root, 'home'), containment, commandOf(root)];
	const child = spawn(process.execPath, [join(built, 'worker.mjs'), ...args], {stdio: 'ignore'});
	onTestFinished(() => void child.kill('SIGKILL'));
	const kill = async () => {
		child.kill('SIGKILL');
		await once(child, 'exit');
	};
	return {root, workspace, stateFolder, kill, path: (name: string) => join(workspace, name)};
}

const planting = (root: string) =>
	`mkdir sub; git init -q sub; git -C sub config core.fsmonitor 'touch ${root}/ran; false'; touch ready; sleep 60`;

test.skipIf(!hasBubblewrap)(
	`[13] what a command planted for git is removed although the program was killed${skipped}`,
	async () => {
		const {root, path, kill} = await program('sandbox', planting);
		await expect.poll(() => existsSync(path('ready'))).toBe(true);
		await kill();
		await expect.poll(() => existsSync(path('sub/.git'))).toBe(false);
		spawnSync('git', ['status'], {cwd: path('sub')});
		expect(existsSync(join(root, 'ran'))).toBe(false);
	},
);

test.skipIf(!hasBubblewrap)(`[13] the next start removes it if nothing else did${skipped}`, async () => {
	const {path, kill, stateFolder} = await program('sandbox', root => `${planting(root)}; rm -rf sub`);
	await expect.poll(() => existsSync(path('ready'))).toBe(true);
	await kill();
	const {path: folder, remove} = await createWorkFolder(stateFolder);
	expect(existsSync(path('sub/.git'))).toBe(false);
	expect(readdirSync(join(stateFolder, 'work'))).toEqual([folder.slice(folder.lastIndexOf('/') + 1)]);
	await remove();
});

test('[15] a command without a sandbox ends with the program, also with kill -9', async () => {
	const {path, kill} = await program('none', () => 'sleep 600 & echo $! $$ > pids; mv pids ready; wait');
	await expect.poll(() => existsSync(path('ready'))).toBe(true);
	const pids = readFileSync(path('ready'), 'utf8').trim().split(' ').map(Number);
	onTestFinished(() => {
		for (const pid of pids.filter(isAlive)) {
			process.kill(pid, 'SIGKILL');
		}
	});
	expect(pids.map(isAlive)).toEqual([true, true]);
	await kill();
	await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

/** True if a process runs, and isn't only waiting for its parent to notice its end. */
function isAlive(pid: number): boolean {
	const {stdout} = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], {encoding: 'utf8'});
	return stdout.trim() !== '' && !stdout.startsWith('Z');
}
