import {type ChildProcess, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {expect, onTestFinished, test} from 'vitest';
import {membersOf} from '../../src/containment/members.ts';
import {identityOf, thisProcess} from '../../src/storage/lock-owner.ts';

/** Starts a process that sleeps until the test ends. */
function sleeper(env: NodeJS.ProcessEnv = {}): ChildProcess & {readonly pid: number} {
	const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {env, stdio: 'ignore', detached: true});
	const {pid} = child;
	onTestFinished(() => void child.kill('SIGKILL'));
	if (pid === undefined) {
		throw new Error('The process did not start.');
	}

	return Object.assign(child, {pid});
}

// Nothing here sends signals: the test checks which processes would get one, also if root runs it.
test.skipIf(!existsSync('/proc/self/stat'))(
	'[15] a sandbox has no process that started before it or that is not its own',
	async () => {
		const id = randomUUID();
		sleeper({SANDBOX_ID: id});
		// The kernel counts start times in hundredths of a second.
		await new Promise(resolve => setTimeout(resolve, 30));
		const supervisor = sleeper();
		const own = sleeper({SANDBOX_ID: id});
		const foreign = sleeper({SANDBOX_ID: randomUUID()});
		const membership = {id, supervisor: identityOf(supervisor.pid)};
		await expect.poll(() => membersOf(membership)).toEqual([own.pid]);
		for (const leader of [undefined, 0, 1, -1, Number.NaN]) {
			expect(membersOf({...membership, leader}), `${leader}`).toEqual([own.pid]);
		}

		expect(membersOf({...membership, leader: foreign.pid}).toSorted()).toEqual([own.pid, foreign.pid].toSorted());
		const never = membersOf({...membership, supervisor: thisProcess(), leader: 0});
		expect(never).not.toContain(process.pid);
	},
);

test('[15] a sandbox whose supervisor cannot be told from a later process has no members to signal', () => {
	expect(membersOf({id: randomUUID(), supervisor: {pid: process.pid, host: 'here'}, leader: 0})).toEqual([]);
	expect(membersOf({id: randomUUID(), supervisor: {pid: process.pid, host: 'here', started: 'x'}})).toEqual([]);
});
