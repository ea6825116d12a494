import {statSync} from 'node:fs';

/** Tells one version of a small file from another, for what is read again only then: every replacement is a new inode. */
export function stampOf(path: string): string {
	const stats = statSync(path, {throwIfNoEntry: false});
	return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : 'none';
}
