import {statSync} from 'node:fs';

/** Returns a stamp that changes with each version of a small file, because every replacement is a new inode. */
export function stampOf(path: string): string {
	const stats = statSync(path, {throwIfNoEntry: false});
	return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : 'none';
}
