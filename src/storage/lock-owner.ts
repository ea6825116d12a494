import {readFileSync} from 'node:fs';
import {hostname, uptime} from 'node:os';
import {isJsonObject, type Json} from '../core/json.ts';
import {errnoOf} from './file-error.ts';

/** The process that created a lock file. */
export type LockOwner = {
	readonly pid: number;
	readonly host: string;
	/** Its start time as the kernel counts it, if known, which differs from that of a later process with the same id. */
	readonly started?: string;
};

let own: LockOwner | undefined;

export function thisProcess(): LockOwner {
	own ??= identityOf(process.pid);
	return own;
}

/** Returns the identity of a process on this machine, which a later process with the same id doesn't share. */
export function identityOf(pid: number): LockOwner {
	const started = startOf(pid);
	return {pid, host: hostname(), ...(started && {started})};
}

/** Returns the owner that a JSON value names; undefined if it names none. */
export function parseOwner(value: Json | undefined): LockOwner | undefined {
	if (!isJsonObject(value) || typeof value['pid'] !== 'number' || typeof value['host'] !== 'string') {
		return undefined;
	}

	const {pid, host, started} = value;
	return {pid, host, ...(typeof started === 'string' && {started})};
}

/**
 * Returns true if the owner of a lock that was created at `since`, in milliseconds since the epoch, has ended for sure. For
 * another host that is never known.
 */
export function isGone(owner: LockOwner, since: number): boolean {
	if (owner.host !== hostname()) {
		return false;
	}

	const bootedAt = Date.now() - uptime() * 1000;
	if (since < bootedAt - 60_000 || !isRunning(owner.pid)) {
		return true;
	}

	if (readProcessStat(owner.pid)?.[0] === 'Z') {
		// It ended, and its parent has not noticed yet.
		return true;
	}

	const started = owner.started && startOf(owner.pid);
	return started !== undefined && started !== owner.started;
}

/** Returns true while a process with this id runs, even for another user. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: it runs as another user.
		return errnoOf(error) !== 'ESRCH';
	}
}

/** Returns field 22 of /proc/<pid>/stat (proc(5)): when the process started. */
function startOf(pid: number): string | undefined {
	return readProcessStat(pid)?.[19];
}

/** Returns the fields of /proc/<pid>/stat after the command name, which may contain spaces; the first one is the state. */
export function readProcessStat(pid: number): readonly string[] | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	} catch {
		return undefined;
	}
}
