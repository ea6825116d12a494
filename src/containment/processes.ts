import {readdirSync} from 'node:fs';
import {hostname} from 'node:os';
import {isGone, type LockOwner, readProcessStat} from '../storage/lock-owner.ts';

/** A process by its id and, if the kernel reports it, its start: a later process with that id is another one. */
export type ProcessIdentity = LockOwner;

/** A variable that every process of a sandbox inherits, which also finds those that left its group. */
export const markerName = 'SANDBOX_ID';

/**
 * Returns whether this very process runs. A later process with the same id doesn't count if the kernel can distinguish
 * them.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
	// Processes of another machine that used this folder don't run any more.
	return identity.host === hostname() && !isGone(identity, Date.now()) && stateLetter(identity.pid) !== 'Z';
}

/** Sends a signal; ignores a process that has ended. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has ended.
	}
}

/** Sends a signal to a process and its group. Does nothing if they have ended already, or the process never started. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
	if (pid !== undefined) {
		sendSignal(process.platform === 'win32' ? pid : -pid, name);
	}
}

/** Returns the state letter of a process (proc(5)): `T` for stopped, `Z` for zombie. */
export function stateLetter(pid: number): string | undefined {
	return readProcessStat(pid)?.[0];
}

/** Returns the folders in `/proc` of all processes that the first process of a sandbox sees. */
export function processesSeenBy(init: number | undefined): readonly string[] {
	const folder = `/proc/${init}/root/proc`;
	try {
		return readdirSync(folder)
			.filter(name => /^\d+$/.test(name))
			.map(pid => `${folder}/${pid}`);
	} catch {
		return [];
	}
}
