import {execFile} from 'node:child_process';
import {readdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';

/** How far the first search goes, which always ends. */
const maxDepth = 3;
const maxFolders = 2000;

/** Time for the search of the whole working folder. Beyond it, only the folders near its top are sure to be found. */
const searchTimeoutMs = 3000;
const maxListBytes = 8 * 1024 * 1024;

/** Returns the folders with a `.git` in a working folder, at any depth. */
export async function repositoryFolders(workspace: string): Promise<readonly string[]> {
	const found = await Promise.all([foldersNearby(workspace), foldersBelow(workspace)]);
	return [...new Set(found.flat())];
}

async function foldersNearby(workspace: string): Promise<readonly string[]> {
	const found: string[] = [];
	const waiting = [{folder: workspace, depth: 0}];
	for (let seen = 0; waiting.length > 0 && seen < maxFolders; seen++) {
		const {folder, depth} = waiting.shift() ?? {folder: workspace, depth: maxDepth};
		for (const entry of await readdir(folder, {withFileTypes: true}).catch(() => [])) {
			if (entry.name === '.git') {
				found.push(folder);
			} else if (entry.isDirectory() && entry.name !== 'node_modules' && depth < maxDepth) {
				waiting.push({folder: join(folder, entry.name), depth: depth + 1});
			}
		}
	}

	return found;
}

/** Lets `find` search, which reads ten thousand folders in less time than this process reads one thousand. */
function foldersBelow(workspace: string): Promise<readonly string[]> {
	const args = [workspace, '-xdev', '-name', '.git', '-print0', '-prune'];
	return new Promise(resolve => {
		// What was found before an error, such as a folder that can't be read, counts as well.
		execFile('find', args, {timeout: searchTimeoutMs, maxBuffer: maxListBytes}, (_, stdout) =>
			resolve(stdout.split('\0').filter(Boolean).map(dirname)),
		);
	});
}
