import {randomUUID} from 'node:crypto';
import {closeSync, openSync, readFileSync, statSync, truncateSync, unlinkSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import {errnoOf, explainFileError} from './file-error.ts';
import {isGone, type LockOwner, parseOwner, thisProcess} from './lock-owner.ts';

/** A lock file that this process holds. */
export type Lock = {
	/** Returns false once another process took the lock over because this one seemed dead. */
	readonly isHeld: () => boolean;
	readonly release: () => void;
};

type Options = {
	/** Age at which even the lock of a running process is taken over; never by default. */
	readonly staleAfterMs?: number;
};

/** Age at which a lock without a readable owner is stale: its process died while creating it. */
const ownerlessAgeMs = 5000;

/**
 * Acquires the advisory lock file at `path`, or returns its running owner. The lock of a dead process is taken over. Throws
 * AppError("failed") if the file can't be created.
 */
export function tryLock(path: string, {staleAfterMs = Number.POSITIVE_INFINITY}: Options = {}): Lock | LockOwner {
	const text = JSON.stringify({...thisProcess(), token: randomUUID()});
	for (;;) {
		if (create(path, text)) {
			return {
				isHeld: () => read(path)?.text === text,
				release: () => {
					if (read(path)?.text === text) {
						giveUp(path);
					}
				},
			};
		}

		const found = read(path);
		if (found) {
			const owner = parseOwner(parseJson(found.text));
			const ageMs = Date.now() - found.modified;
			if (owner ? !isGone(owner, found.modified) && ageMs < staleAfterMs : ageMs < ownerlessAgeMs) {
				return owner ?? {pid: 0, host: ''};
			}

			if (!takeOver(path, found.text)) {
				return owner ?? {pid: 0, host: ''};
			}
		}
	}
}

/** How many times longer than for one holder the lock is waited for while it changes hands. */
const maxHolders = 10;

/**
 * Runs `run` under the lock at `path`. Throws AppError("conflict") if one holder keeps it for `waitMs`; while it changes
 * hands, the wait is up to ten times as long, because all make progress.
 */
export async function withLock<T>(path: string, run: (lock: Lock) => Promise<T>, waitMs = 30_000): Promise<T> {
	const begun = Date.now();
	let holder: string | undefined;
	let heldSince = begun;
	for (let tries = 1; ; tries += 1) {
		const lock = tryLock(path, {staleAfterMs: 30_000});
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

		if (now - heldSince > waitMs || now - begun > maxHolders * waitMs) {
			throw new AppError('conflict', `Process ${lock.pid} is holding ${path}.`, {
				hint: 'End that process, or delete the lock file if it is gone.',
			});
		}

		// Random, so that waiting processes don't retry in step. Longer the more of them there seem to be, and shorter again for
		// a process that has waited long, so that it gets its turn.
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
 * Deletes a stale lock. Two processes that find the same stale lock must not both delete one, because the second would delete
 * the first one's new lock: so only the owner of a guard file may, and only the lock that it checked. Returns false if
 * another process is doing it.
 */
function takeOver(path: string, checked: string): boolean {
	const guard = `${path}.takeover`;
	if (!create(guard, '')) {
		// The guard exists for microseconds; an old one was left by a process that was killed meanwhile.
		const stats = statSync(guard, {throwIfNoEntry: false});
		if (stats && Date.now() - stats.mtimeMs > ownerlessAgeMs) {
			remove(guard);
		}

		return false;
	}

	try {
		if (read(path)?.text === checked) {
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

/**
 * Deletes a lock of this process. What ran under it is done, and doesn't fail because the disk refuses that: an empty lock has no
 * owner, so that others take it over soon.
 */
function giveUp(path: string): void {
	for (const attempt of [remove, remove, truncateSync]) {
		try {
			attempt(path);
			return;
		} catch {
			// The disk refused; the next way may work.
		}
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
