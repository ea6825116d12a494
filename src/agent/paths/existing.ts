import {realpath, stat} from 'node:fs';
import {lstat} from 'node:fs/promises';
import {relative, sep} from 'node:path';

/** A file or folder that exists, without links on its way. */
export type Existing = {readonly path: string; readonly isFolder: boolean};

/** Returns those of the paths that exist, resolved through every link. */
export async function existing(paths: readonly string[]): Promise<readonly Existing[]> {
	const found = await Promise.all(paths.map(find));
	return found.filter(place => place !== undefined);
}

/** With callbacks, for each command asks about hundreds of paths, most of them missing: promises take three times as long. */
function find(path: string): Promise<Existing | undefined> {
	const found = new Promise<Existing | undefined>(resolve => {
		realpath.native(path, (missing, real) => {
			if (missing) {
				resolve(undefined);
				return;
			}

			stat(real, (gone, stats) => resolve(gone ? undefined : {path: real, isFolder: stats.isDirectory()}));
		});
	});
	// It throws for a path with a NUL character.
	return found.catch(() => undefined);
}

/** True for the folder itself and everything below it. */
export function isWithin(path: string, folder: string): boolean {
	const below = relative(folder, path);
	return below !== '..' && !below.startsWith(`..${sep}`);
}

/** Returns the paths that are not inside another one of them, sorted. */
export function outermost(paths: readonly string[]): readonly string[] {
	const kept: string[] = [];
	for (const path of [...new Set(paths)].sort()) {
		if (!kept.some(folder => path.startsWith(`${folder}/`))) {
			kept.push(path);
		}
	}

	return kept;
}

/** True if there is anything at a path, also a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => undefined)) !== undefined;
}
