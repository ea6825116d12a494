import {lstat} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {type FolderSearch, find, searchNearby} from '../tools/files/search-folder.ts';

/** What git takes for repositories in a working folder, at any depth. */
export type Repositories = {
	/** Folders with a `.git`. */
	readonly folders: readonly string[];
	/** Folders that are the data of a repository themselves. */
	readonly bare: readonly string[];
};

/** How far the second search goes, which always ends. */
const maxDepth = 3;

const expression = ['-name', '.git', '-print0', '-prune', '-o', '-name', 'HEAD', '-print0'];

/** Returns the repositories in a folder; `listing` has at least their paths if somebody has searched it already. */
export async function findRepositories(workspace: string, listing?: FolderSearch): Promise<Repositories> {
	const {paths, isComplete} = listing ?? (await find(workspace, expression));
	const isMatch = (path: string) => ['.git', 'HEAD'].includes(basename(path));
	const limits = {maxDepth, enters: ({name}: {readonly name: string}) => name !== 'node_modules'};
	const nearby = isComplete ? [] : (await searchNearby(workspace, isMatch, limits)).paths;
	const all = [...new Set([...paths, ...nearby])];
	const folders = all.filter(path => basename(path) === '.git').map(dirname);
	const heads = all.filter(path => basename(path) === 'HEAD').map(dirname);
	const areBare = await Promise.all(heads.map(isBare));
	return {folders, bare: heads.filter((_, index) => areBare[index])};
}

/** True for a folder with a `HEAD` that git takes for a repository without a `.git`. */
export async function isBare(folder: string): Promise<boolean> {
	const found = await Promise.all(['objects', 'refs'].map(name => lstat(join(folder, name)).catch(() => undefined)));
	return found.every(stats => stats !== undefined);
}
