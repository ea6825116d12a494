import {readFile} from 'node:fs/promises';
import {hostname} from 'node:os';
import {isGone} from '../../../storage/lock-owner.ts';
import type {ProcessIdentity} from '../supervisor/supervisor-plan.ts';

/** A variable that every process of a sandbox inherits, which also finds those that left its group. */
export const markerName = 'SANDBOX_ID';

/**
 * Returns whether this very process runs. A later process with the same id doesn't count if the kernel can distinguish
 * them.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
	// Processes of another machine that used this folder don't run any more.
	return identity.host === hostname() && !isGone(identity, Date.now()) && (await stateLetter(identity.pid)) !== 'Z';
}

/** Sends a signal; ignores a process that has ended. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has ended.
	}
}

/** Returns the state letter of a process (proc(5)): `T` for stopped, `Z` for zombie. */
export async function stateLetter(pid: number): Promise<string | undefined> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
	return stat?.slice(stat.lastIndexOf(')') + 2)[0];
}
