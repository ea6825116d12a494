import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {expect, onTestFinished, test} from 'vitest';
import {createCommandCgroup} from '../../../../src/containment/cgroup.ts';
import {followDescendants} from '../../../../src/containment/descendants.ts';
import {endMarked, markVariable} from '../../../../src/containment/end-marked.ts';
import {guardedLauncherOf, tellGuard} from '../../../../src/containment/launch.ts';
import {signalGroup} from '../../../../src/containment/processes.ts';
import {isRunning} from '../../../../src/storage/lock-owner.ts';
import {temporaryFolder} from '../../../storage/temporary.ts';
import {expectStill} from './expect-still.ts';
import {openCommands} from './open-commands.ts';

/** A loop that shows that it runs by touching a file, at most about 20 seconds. */
const alive = '(for i in $(seq 400); do touch alive; sleep 0.05; done)';

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('[15] without a sandbox a daemon without its environment ends with the command', async () => {
	const {run, path} = await openCommands({answer: () => ({allowed: true}), hasSandbox: false});
	const daemon = `env -i PATH="$PATH" setsid sh -c '${alive} & sleep 0.3' >/dev/null 2>&1; echo left`;
	expect(await run(daemon)).toMatch(/^left\n\[exit status 0/);
	expect(existsSync(path('alive'))).toBe(true);
	await expectStill(path('alive'));
});

/** Starts a shell that starts a process in a session of its own, without an environment. Returns what it says. */
async function startDaemon(first = 'true') {
	const script = `${first}; env -i setsid sh -c 'sleep 60 & echo $!; sleep 0.3' & wait; sleep 60`;
	const child = spawn('sh', ['-c', script], {detached: true, stdio: ['ignore', 'pipe', 'ignore']});
	onTestFinished(() => signalGroup(child.pid, 'SIGKILL'));
	const said = new Promise<number>(resolve => child.stdout.once('data', chunk => resolve(Number(chunk))));
	return {pid: child.pid, said};
}

test.skipIf(!isLinux)('a process is followed after its parent has ended and it has left the session', async () => {
	const {pid, said} = await startDaemon();
	const descendants = followDescendants(pid);
	onTestFinished(descendants.stop);
	const daemon = await said;
	onTestFinished(() => signalGroup(descendants.running().includes(daemon) ? daemon : undefined, 'SIGKILL'));
	await expect.poll(() => descendants.running()).toContain(daemon);
	signalGroup(pid, 'SIGKILL');
	await expect.poll(() => descendants.running()).toEqual([daemon]);
	process.kill(daemon, 'SIGKILL');
	await expect.poll(() => descendants.running()).toEqual([]);
});

const probe = createCommandCgroup('probe');
await probe?.end();

test.skipIf(!probe)('the processes of a control group end with it, wherever they went', async () => {
	const group = createCommandCgroup(`test-${process.pid}`);
	const {pid, said} = await startDaemon(`echo $$ >${group?.entries[0]}`);
	const daemon = await said;
	await group?.end();
	await expect.poll(() => [pid, daemon].map(each => isRunning(each ?? 0))).toEqual([false, false]);
	expect(existsSync(group?.entries[0] ?? '')).toBe(false);
});

test('without control groups nothing is created', () => {
	expect(createCommandCgroup('x', 'darwin')).toBe(undefined);
	expect(followDescendants(process.pid, {platform: 'darwin'}).running()).toEqual([]);
});

/** Starts a command without a sandbox that leaves its group by `leave`, then does what the death of the program does. */
async function leaveAndDie(leave: string, mark: string, {joinFile = '', isFollowed = false, more = ''} = {}) {
	const folder = temporaryFolder();
	// Longer than the test may take.
	const command = `${leave} sh -c '${alive.replace('400', '4000')}' & sleep 60`;
	const [file = '', ...args] = guardedLauncherOf({command, shell: '/bin/sh', maxProcesses: 1000}, joinFile);
	const child = spawn(file, args, {
		...{cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe']},
		env: {PATH: process.env['PATH'] ?? '', [markVariable]: mark},
	});
	onTestFinished(() => endMarked(mark));
	await expect.poll(() => existsSync(join(folder, 'alive'))).toBe(true);
	if (isFollowed) {
		const descendants = followDescendants(child.pid, {onLeft: left => tellGuard(child, [...left, more])});
		onTestFinished(descendants.stop);
		expect(descendants.running()).not.toEqual([]);
	}

	const ended = new Promise(resolve => child.once('exit', (_, signal) => resolve(signal)));
	child.stdio[3]?.destroy();
	expect(await ended).toBe('SIGKILL');
	await expectStill(join(folder, 'alive'));
}

test.skipIf(!isLinux)('[15] without a sandbox a daemon ends once the program is gone', () =>
	leaveAndDie('setsid', `daemon-${process.pid}`),
);

test.skipIf(!isLinux)(
	'[15] so does one without its environment that was followed, but no other process with its id',
	async () => {
		const mark = `followed-${process.pid}`;
		const other = spawn('sleep', ['60'], {stdio: 'ignore'});
		onTestFinished(() => void other.kill('SIGKILL'));
		await leaveAndDie('env -i PATH="$PATH" setsid', mark, {isFollowed: true, more: `${other.pid}:1`});
		expect(isRunning(other.pid ?? 0)).toBe(true);
	},
);

test.skipIf(!probe)('[15] so does one without its environment in a control group', async () => {
	const mark = `bare-${process.pid}`;
	const group = createCommandCgroup(mark);
	onTestFinished(() => group?.end());
	await leaveAndDie('env -i PATH="$PATH" setsid', mark, {joinFile: group?.entries[0] ?? ''});
});
