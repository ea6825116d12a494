import {execFile} from 'node:child_process';
import type {Dirent, Stats} from 'node:fs';
import {lstat, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {firstIn, foldersOutside} from '../child/find-program.ts';

/** Time for one search. Beyond it, only what is near the top of the folder is sure to be found. */
const timeoutMs = 3000;
const maxListBytes = 64 * 1024 * 1024;
/** How far the search without `find` goes, which always ends. */
const maxFolders = 2000;

export type FolderSearch = {
	/** Absolute paths. */
	readonly paths: readonly string[];
	/** False if there may be more. */
	readonly isComplete: boolean;
};

/**
 * Returns what `expression` of `find` prints below a folder, on its file system. `find` reads ten thousand folders in less
 * time than this process reads one thousand; where it is missing or too slow, `matches` decides about what is near the top.
 */
export async function searchFolder(
	folder: string,
	expression: readonly string[],
	matches: (entry: Stats) => boolean,
): Promise<FolderSearch> {
	const {paths, isComplete} = await find(folder, expression);
	if (isComplete) {
		return {paths, isComplete};
	}

	const nearby = await searchNearby(folder, async path => {
		const stats = await lstat(path).catch(() => undefined);
		return stats !== undefined && matches(stats);
	});
	return {paths: [...new Set([...paths, ...nearby.paths])], isComplete: nearby.isComplete};
}

/** Runs `find`. What it found before an error, such as a folder that can't be read, counts as well. */
export function find(folder: string, expression: readonly string[]): Promise<FolderSearch> {
	const program = firstIn(foldersOutside(folder, process.env), 'find') ?? '/usr/bin/find';
	const options = {timeout: timeoutMs, maxBuffer: maxListBytes};
	return new Promise(resolve => {
		execFile(program, [folder, '-xdev', ...expression], options, (error, stdout) => {
			const isComplete = !error || (typeof error.code === 'number' && !error.killed);
			resolve({paths: stdout.split('\0').filter(Boolean), isComplete});
		});
	});
}

/** Returns the paths near the top of a folder that `isMatch` takes. Enters the folders that `enters` takes. */
export async function searchNearby(
	root: string,
	isMatch: (path: string, entry: Dirent) => boolean | Promise<boolean>,
	{enters = () => true, maxDepth = 40}: {readonly enters?: (entry: Dirent) => boolean; readonly maxDepth?: number} = {},
): Promise<FolderSearch> {
	const paths: string[] = [];
	const waiting = [{folder: root, depth: 0}];
	let isComplete = true;
	for (let seen = 0; waiting.length > 0; seen++) {
		if (seen >= maxFolders) {
			return {paths, isComplete: false};
		}

		const {folder, depth} = waiting.shift() ?? {folder: root, depth: maxDepth};
		for (const entry of await readdir(folder, {withFileTypes: true}).catch(() => [])) {
			const path = join(folder, entry.name);
			if (await isMatch(path, entry)) {
				paths.push(path);
			} else if (entry.isDirectory() && enters(entry)) {
				isComplete &&= depth < maxDepth;
				if (depth < maxDepth) {
					waiting.push({folder: path, depth: depth + 1});
				}
			}
		}
	}

	return {paths, isComplete};
}
