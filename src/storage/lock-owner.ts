import {readFileSync} from 'node:fs';
import {hostname, uptime} from 'node:os';
import {errnoOf} from './file-error.ts';

/** The process that made a lock file. */
export type LockOwner = {
	readonly pid: number;
	readonly host: string;
	/** When it started, in the kernel's own count, where one can ask: it tells a process from a later one of that id. */
	readonly started?: string;
};

export function thisProcess(): LockOwner {
	return identityOf(process.pid);
}

/** A process of this machine, told from a later one of its id. */
export function identityOf(pid: number): LockOwner {
	const started = startOf(pid);
	return {pid, host: hostname(), ...(started && {started})};
}

/** True where the owner of a lock made at `since` (ms since the epoch) surely ended. Of another host nobody can tell. */
export function isGone(owner: LockOwner, since: number): boolean {
	if (owner.host !== hostname()) {
		return false;
	}

	const bootedAt = Date.now() - uptime() * 1000;
	if (since < bootedAt - 60_000 || !isRunning(owner.pid)) {
		return true;
	}

	const started = owner.started && startOf(owner.pid);
	return started !== undefined && started !== owner.started;
}

/** True while a process of that id runs, whoever's it is. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: it runs, as another user.
		return errnoOf(error) !== 'ESRCH';
	}
}

/** Field 22 of /proc/<pid>/stat (proc(5)), counted behind the command's name, which may itself hold spaces. */
function startOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
	} catch {
		return undefined;
	}
}
