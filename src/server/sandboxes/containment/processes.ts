import {readFile} from 'node:fs/promises';
import {hostname} from 'node:os';
import {isGone} from '../../../storage/lock-owner.ts';
import type {ProcessIdentity} from '../supervisor/supervisor-plan.ts';

/** The variable that every process of a sandbox inherits, so that also one that left its group is found. */
export const markerName = 'SANDBOX_ID';

/** True while this very process runs; a later one of its id does not count where the kernel tells them apart. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
	// Of another machine, which had this folder before, nothing runs any more.
	return identity.host === hostname() && !isGone(identity, Date.now()) && (await stateLetter(identity.pid)) !== 'Z';
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
