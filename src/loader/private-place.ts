import {closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, type Stats} from 'node:fs';
import {dirname} from 'node:path';

type Identity = Pick<NodeJS.Process, 'platform' | 'getuid'>;

/**
 * Returns true if only this user can write there. Code that is run from a cache must come from nobody else (SAFETY 10).
 * Windows has no such modes; there the folder's place protects it.
 */
export function isPrivate({uid, mode}: Pick<Stats, 'uid' | 'mode'>, {platform, getuid}: Identity = process): boolean {
	return platform === 'win32' || (uid === getuid?.() && (mode & 0o077) === 0);
}

/** Returns true for an existing folder, not a link, that is private. */
function isPrivateFolder(path: string): boolean {
	const stats = lstatSync(path, {throwIfNoEntry: false});
	return stats?.isDirectory() === true && isPrivate(stats);
}

/** Returns true if `path` and the folder that it is in are private folders. */
export function isInPrivateFolder(path: string): boolean {
	return isPrivateFolder(dirname(path)) && isPrivateFolder(path);
}

/** Creates a private folder in a private one. Returns true if it can be used. Never throws. */
export function makeInPrivateFolder(path: string): boolean {
	try {
		if (isPrivateFolder(dirname(path)) && !lstatSync(path, {throwIfNoEntry: false})) {
			mkdirSync(path, {mode: 0o700});
		}

		return isInPrivateFolder(path);
	} catch {
		return false;
	}
}

/** Returns the content of a private file; undefined for a link, another owner, other modes, or more than `maxBytes`. */
export function readPrivate(path: string, maxBytes: number): Buffer | undefined {
	let descriptor: number | undefined;
	try {
		descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
		const stats = fstatSync(descriptor);
		return stats.isFile() && isPrivate(stats) && stats.size <= maxBytes ? readFileSync(descriptor) : undefined;
	} catch {
		return undefined;
	} finally {
		if (descriptor !== undefined) {
			closeSync(descriptor);
		}
	}
}
