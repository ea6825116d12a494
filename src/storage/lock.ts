import {randomUUID} from 'node:crypto';
import {closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {errnoOf, explainFileError} from './file-error.ts';
import {isGone, type LockOwner, thisProcess} from './lock-owner.ts';

/** A lock file that this process holds. */
export type Lock = {
	/** False once another process took it over, because it thought that we were gone. */
	readonly isHeld: () => boolean;
	readonly release: () => void;
};

type Options = {
	/** Age in milliseconds at which even the lock of a living process is taken over; never otherwise. */
	readonly staleAfter?: number;
};

/** A lock without a readable owner was just made, or its maker died in between. In milliseconds. */
const namelessAge = 5000;

/**
 * Takes the lock file at `path`, or gives its living owner. The lock of a dead process is taken over. Advisory: it
 * keeps out those who ask. Throws `AppError` (`failed`) where the file cannot be made.
 */
export function tryLock(path: string, {staleAfter = Number.POSITIVE_INFINITY}: Options = {}): Lock | LockOwner {
	const text = JSON.stringify({...thisProcess(), token: randomUUID()});
	for (;;) {
		if (create(path, text)) {
			return {
				isHeld: () => read(path)?.text === text,
				release: () => {
					if (read(path)?.text === text) {
						remove(path);
					}
				},
			};
		}

		const found = read(path);
		if (found) {
			const owner = ownerOf(found.text);
			const age = Date.now() - found.modified;
			if (owner ? !isGone(owner, found.modified) && age < staleAfter : age < namelessAge) {
				return owner ?? {pid: 0, host: ''};
			}

			if (!takeOver(path, found.text)) {
				return owner ?? {pid: 0, host: ''};
			}
		}
	}
}

/** How often a lock may pass from one to another for as long as a single holder may keep it. */
const mostTurns = 10;

/**
 * Runs `run` under the lock at `path`. Throws `conflict` where one holder keeps it for `waitMs`; a lock that passes from
 * one to another is waited for ten times as long, since all get on.
 */
export async function withLock<T>(path: string, run: (lock: Lock) => Promise<T>, waitMs = 30_000): Promise<T> {
	const begun = Date.now();
	let holder: string | undefined;
	let heldSince = begun;
	for (let tries = 1; ; tries += 1) {
		const lock = tryLock(path, {staleAfter: 30_000});
		if ('release' in lock) {
			try {
				return await run(lock);
			} finally {
				lock.release();
			}
		}

		const now = Date.now();
		const text = read(path)?.text;
		if (text === undefined || text !== holder) {
			holder = text;
			heldSince = now;
		}

		if (now - heldSince > waitMs || now - begun > mostTurns * waitMs) {
			throw new AppError('conflict', `Process ${lock.pid} keeps ${path} to itself.`, {
				hint: 'End that process, or delete the lock file if there is no such process.',
			});
		}

		// Random, so that processes that wait for each other do not march in step; longer the more there seem to be, and
		// shorter again for who has waited for long: it looks more often than the others, and so gets its turn.
		const share = 1000 / Math.max(1000, now - begun);
		await sleep(1 + Math.random() * Math.min(10 * tries, 50) * share);
	}
}

function create(path: string, text: string): boolean {
	try {
		const descriptor = openSync(path, 'wx', 0o600);
		try {
			writeSync(descriptor, text);
		} catch (error) {
			remove(path);
			throw error;
		} finally {
			closeSync(descriptor);
		}

		return true;
	} catch (error) {
		if (errnoOf(error) === 'EEXIST') {
			return false;
		}

		throw explainFileError(error, 'lock', path);
	}
}

/**
 * Removes a stale lock, unless somebody else did. Two processes that judge the same lock must not both remove one, for
 * the second would remove the first one's new lock; so only the owner of a guard file may, and only what it judged.
 * False where another process is at it.
 */
function takeOver(path: string, judged: string): boolean {
	const guard = `${path}.takeover`;
	if (!create(guard, '')) {
		// The guard lives for microseconds; an old one was left by a process that was killed just then.
		const stats = statSync(guard, {throwIfNoEntry: false});
		if (stats && Date.now() - stats.mtimeMs > namelessAge) {
			remove(guard);
		}

		return false;
	}

	try {
		if (read(path)?.text === judged) {
			remove(path);
		}

		return true;
	} finally {
		remove(guard);
	}
}

function read(path: string): {readonly text: string; readonly modified: number} | undefined {
	try {
		return {modified: statSync(path).mtimeMs, text: readFileSync(path, 'utf8')};
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return undefined;
		}

		throw explainFileError(error, 'lock', path);
	}
}

function remove(path: string): void {
	try {
		unlinkSync(path);
	} catch (error) {
		if (errnoOf(error) !== 'ENOENT') {
			throw explainFileError(error, 'lock', path);
		}
	}
}

function ownerOf(text: string): LockOwner | undefined {
	const value = parseJson(text);
	if (!isJsonObject(value) || typeof value['pid'] !== 'number' || typeof value['host'] !== 'string') {
		return undefined;
	}

	const {pid, host, started} = value;
	return {pid, host, ...(typeof started === 'string' && {started})};
}
