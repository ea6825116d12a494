import {readdir, readFile} from 'node:fs/promises';
import {hostname} from 'node:os';
import {isGone} from '../../storage/lock-owner.ts';
import type {ProcessIdentity} from './supervisor-plan.ts';

/** The variable that every process of a sandbox inherits, so that also one that left its group is found. */
export const markerName = 'SANDBOX_ID';

/** True while this very process runs; a later one of its id does not count where the kernel tells them apart. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
	// Of another machine, which had this folder before, nothing runs any more.
	return identity.host === hostname() && !isGone(identity, Date.now()) && (await stateLetter(identity.pid)) !== 'Z';
}

/** The processes whose environment at their start named this sandbox. Empty where there is no `/proc`. */
async function markedProcesses(id: string): Promise<readonly number[]> {
	const mark = `${markerName}=${id}`;
	const names = await readdir('/proc').catch(() => []);
	const found = await Promise.all(
		names
			.filter(name => /^\d+$/.test(name))
			.map(async name => {
				const variables = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
				return variables.split('\0').includes(mark) ? [Number(name)] : [];
			}),
	);
	return found.flat();
}

/** Sends a signal to the group of `leader`, as long as that is the same process, and to what is marked with `id`. */
export async function signalSandbox(id: string, leader: ProcessIdentity | undefined, name: NodeJS.Signals) {
	if (leader && (await isAlive(leader))) {
		send(-leader.pid, name);
	}

	for (const pid of await markedProcesses(id)) {
		send(pid, name);
	}
}

/** Sends a signal; a process that ended meanwhile is no error. */
export function send(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has ended already.
	}
}

/** The state letter of a process (proc(5)): `T` for stopped, `Z` for ended but not yet collected. */
export async function stateLetter(pid: number): Promise<string | undefined> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
	return stat?.slice(stat.lastIndexOf(')') + 2)[0];
}
