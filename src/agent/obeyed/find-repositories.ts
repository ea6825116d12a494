import {lstat} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {chosenOnce, type FolderSearch, listFolder} from '../paths/search-folder.ts';

/** What git takes for repositories in a working folder, at any depth. */
export type Repositories = {
	/** Folders with a `.git`. */
	readonly folders: readonly string[];
	/** Folders that are the data of a repository themselves. */
	readonly bare: readonly string[];
};

/** Returns the repositories in a folder; `listing` is what it holds if somebody has searched it already. */
export async function findRepositories(workspace: string, listing?: FolderSearch): Promise<Repositories> {
	const {tops, heads} = named(listing ?? (await listFolder(workspace)), workspace);
	const areBare = await Promise.all(heads.map(isBare));
	return {folders: tops, bare: heads.filter((_, index) => areBare[index])};
}

const named = chosenOnce(paths => ({
	tops: foldersWith('.git', paths),
	heads: foldersWith('HEAD', paths),
}));

function foldersWith(name: string, paths: readonly string[]): readonly string[] {
	return paths.filter(path => path.endsWith(`/${name}`)).map(dirname);
}

/** True for a folder with a `HEAD` that git takes for a repository without a `.git`. */
export async function isBare(folder: string): Promise<boolean> {
	const found = await Promise.all(['objects', 'refs'].map(name => lstat(join(folder, name)).catch(() => undefined)));
	return found.every(stats => stats !== undefined);
}
