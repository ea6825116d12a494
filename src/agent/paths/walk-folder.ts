import {type BigIntStats, type Dirent, lstat, readdir, stat} from 'node:fs';
import {sep} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';

/** What is below a folder. Names are relative to it, with `/`. */
export type Walk = {
	/** The folders that were looked into, as they were just before; the folder itself is the first, as ''. */
	readonly folders: ReadonlyMap<string, BigIntStats>;
	readonly names: ReadonlyArray<{readonly name: string; readonly isFolder: boolean}>;
};

type Limits = {
	/** Beyond these `find` takes less time. */
	readonly maxFolders: number;
	readonly maxNames: number;
	/** False for a folder that isn't looked into; `top` is the one that was asked for. */
	readonly isEntered?: (name: string, stats: BigIntStats, top: BigIntStats) => boolean;
};

/** One that takes more bytes itself has thousands of names: they would hold up everything else when they arrive at once. */
const maxFolderBytes = 128 * 1024;
/** Errors of a folder that nobody can look into, or that was replaced. */
const unread: readonly string[] = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'];

/**
 * Creates what walks through a small folder in this process and finds there what `find` does, whose start alone takes
 * longer: a folder that can't be read, or is gone meanwhile, counts as empty. Returns undefined for any other folder, such
 * as one with a name that is no text, and doesn't try it again.
 */
export function createWalk(limits: Limits): (folder: string) => Promise<Walk | undefined> {
	const others = new Set<string>();
	return async folder => {
		try {
			return others.has(folder) ? undefined : await walk(folder, limits);
		} catch {
			others.add(folder);
			return undefined;
		}
	};
}

/** Throws if `find` is to do it. */
async function walk(folder: string, {maxFolders, maxNames, isEntered}: Limits): Promise<Walk> {
	const top = await statsOf(folder, true);
	if (!top?.isDirectory()) {
		throw new Error('no folder');
	}

	const folders = new Map<string, BigIntStats>();
	const names: Array<Walk['names'][number]> = [];
	const read = async (name: string) => {
		const path = pathIn(folder, name);
		const stats = name === '' ? top : await statsOf(path);
		if (!stats?.isDirectory() || (name !== '' && isEntered?.(name, stats, top) === false)) {
			return [];
		}

		folders.set(name, stats);
		const entries = await entriesOf(path, stats);
		return entries.map(entry => ({
			name: name === '' ? entry.name : `${name}/${entry.name}`,
			isFolder: entry.isDirectory(),
		}));
	};
	for (let level = ['']; level.length > 0; ) {
		if (folders.size + level.length > maxFolders || names.length > maxNames) {
			throw new Error('too large');
		}

		const found = (await Promise.all(level.map(read))).flat();
		names.push(...found);
		level = found.flatMap(({name, isFolder}) => (isFolder ? [name] : []));
	}

	return {folders, names};
}

/** Returns the path of what a walk through a folder found. */
export function pathIn(folder: string, name: string): string {
	const below = sep === '/' ? name : name.replaceAll('/', sep);
	return below === '' ? folder : `${folder === sep ? '' : folder}${sep}${below}`;
}

/** Returns undefined for what is gone. A callback takes half the time of the promise of `node:fs`. */
export function statsOf(path: string, isFollowed = false): Promise<BigIntStats | undefined> {
	return new Promise((resolve, reject) => {
		(isFollowed ? stat : lstat)(path, {bigint: true}, (error, stats) => {
			if (error && errnoOf(error) !== 'ENOENT') {
				reject(error);
			} else {
				resolve(error ? undefined : stats);
			}
		});
	});
}

function entriesOf(path: string, {size}: BigIntStats): Promise<readonly Dirent[]> {
	return new Promise((resolve, reject) => {
		if (size > maxFolderBytes) {
			reject(new Error('too large'));
			return;
		}

		readdir(path, {withFileTypes: true}, (error, entries) => {
			const isText = error || !entries.some(({name}) => name.includes('\ufffd'));
			if (error && !unread.includes(errnoOf(error) ?? '')) {
				reject(error);
			} else if (!isText) {
				reject(new Error('a name that is no text'));
			} else {
				resolve(error ? [] : entries);
			}
		});
	});
}
