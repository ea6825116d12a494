import {execFile} from 'node:child_process';
import {lstat, readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {firstIn, foldersOutside} from '../tools/child/find-program.ts';

/** What git takes for repositories in a working folder, at any depth. */
export type Repositories = {
	/** Folders with a `.git`. */
	readonly folders: readonly string[];
	/** Folders that are the data of a repository themselves. */
	readonly bare: readonly string[];
};

/** How far the second search goes, which always ends. */
const maxDepth = 3;
const maxFolders = 2000;

/** Time for the search of the whole working folder. Beyond it, only the folders near its top are sure to be found. */
const searchTimeoutMs = 3000;
const maxListBytes = 8 * 1024 * 1024;

export async function findRepositories(workspace: string): Promise<Repositories> {
	const {paths, isComplete} = await search(workspace);
	const nearby = isComplete ? [] : await searchNearby(workspace);
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

/** Lets `find` search, which reads ten thousand folders in less time than this process reads one thousand. */
function search(workspace: string): Promise<{readonly paths: readonly string[]; readonly isComplete: boolean}> {
	const program = firstIn(foldersOutside(workspace, process.env), 'find') ?? '/usr/bin/find';
	const args = [workspace, '-xdev', '-name', '.git', '-print0', '-prune', '-o', '-name', 'HEAD', '-print0'];
	return new Promise(resolve => {
		// What was found before an error, such as a folder that can't be read, counts as well.
		execFile(program, args, {timeout: searchTimeoutMs, maxBuffer: maxListBytes}, (error, stdout) => {
			const isComplete = !error || (typeof error.code === 'number' && !error.killed);
			resolve({paths: stdout.split('\0').filter(Boolean), isComplete});
		});
	});
}

async function searchNearby(workspace: string): Promise<readonly string[]> {
	const found: string[] = [];
	const waiting = [{folder: workspace, depth: 0}];
	for (let seen = 0; waiting.length > 0 && seen < maxFolders; seen++) {
		const {folder, depth} = waiting.shift() ?? {folder: workspace, depth: maxDepth};
		for (const entry of await readdir(folder, {withFileTypes: true}).catch(() => [])) {
			if (entry.name === '.git' || entry.name === 'HEAD') {
				found.push(join(folder, entry.name));
			} else if (entry.isDirectory() && entry.name !== 'node_modules' && depth < maxDepth) {
				waiting.push({folder: join(folder, entry.name), depth: depth + 1});
			}
		}
	}

	return found;
}
