import {execFile} from 'node:child_process';
import type {Dirent, Stats} from 'node:fs';
import {lstat, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {firstIn, foldersOutside} from '../tools/child/find-program.ts';
import {createWalk, pathIn} from './walk-folder.ts';

/** Time for one search. Beyond it, only what is near the top of the folder is sure to be found. */
const timeoutMs = 3000;
const maxListBytes = 64 * 1024 * 1024;
/** How far the search without `find` goes, which always ends. */
const maxFolders = 2000;
const maxDepth = 40;

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
async function find(folder: string, expression: readonly string[]): Promise<FolderSearch> {
	const {bytes, isComplete} = await findBytes(folder, expression);
	return {paths: absolute(bytes, folder), isComplete};
}

/** Returns the `find` to start for a folder: none that is in it. */
export function findCommand(folder: string): string {
	return firstIn(foldersOutside(folder, process.env), 'find') ?? '/usr/bin/find';
}

/** Paths are relative to the folder and begin with a dot: in a large folder, that is half of the bytes. */
function findBytes(folder: string, expression: readonly string[]) {
	const program = findCommand(folder);
	const options = {cwd: folder, env: {}, timeout: timeoutMs, maxBuffer: maxListBytes, encoding: 'buffer' as const};
	return new Promise<{readonly bytes: Buffer; readonly isComplete: boolean}>(resolve => {
		execFile(program, ['.', '-xdev', ...expression], options, (error, stdout) => {
			const isComplete = !error || (typeof error.code === 'number' && !error.killed);
			resolve({bytes: stdout, isComplete});
		});
	});
}

function absolute(bytes: Buffer, folder: string): readonly string[] {
	const names = bytes.toString('utf8').split('\0').filter(Boolean);
	const parent = folder === '/' ? '' : folder;
	return names.map(name => (name === '.' ? folder : `${parent}${name.slice(1)}`));
}

/** The last lists of folders, with the bytes that each was read from if `find` made it. */
const lists = new Map<string, {readonly bytes?: Buffer; readonly list: FolderSearch}>();
const maxLists = 4;

/** Of packages, which may be many times the rest: what git takes for repositories, and programs. */
const fewOfPackages = ['-path', '*/node_modules/*', '!', '-name', 'HEAD', '!', '-path', '*/node_modules/.bin/*', '-o'];
/** The others, in a path relative to the folder that begins with a slash. */
const isPackaged = /^(?!.*(?:\/node_modules\/\.bin\/|\/(?:HEAD|\.git)$)).*\/node_modules\//s;

const walkFolder = createWalk({
	maxFolders: 350,
	maxNames: 3500,
	isEntered: (name, {dev}, top) => dev === top.dev && !/(?:^|\/)\.git$/.test(name),
});

/**
 * Returns what is in a folder on its file system, but for what is in folders called `.git`, and most of `node_modules`
 * unless `hasPackages`. The same list as long as no name changes, so that what is chosen from it by the names alone can be
 * kept: see `chosenOnce`.
 */
export async function listFolder(folder: string, hasPackages = false): Promise<FolderSearch> {
	const key = `${hasPackages} ${folder}`;
	const keep = (made: {readonly bytes?: Buffer; readonly list: FolderSearch}) => {
		lists.delete(key);
		lists.set(key, made);
		for (const old of [...lists.keys()].slice(0, -maxLists)) {
			lists.delete(old);
		}

		return made.list;
	};
	const last = lists.get(key);
	const walked = await walkFolder(folder);
	if (walked) {
		const names = walked.names.filter(({name}) => hasPackages || !isPackaged.test(`/${name}`));
		const paths = [folder, ...names.map(({name}) => pathIn(folder, name))];
		const isSame = last?.list.paths.length === paths.length && paths.every((path, at) => path === last.list.paths[at]);
		return keep({list: isSame ? last.list : {paths, isComplete: true}});
	}

	const all = ['-name', '.git', '-print0', '-prune', '-o', ...(hasPackages ? [] : fewOfPackages), '-print0'];
	const {bytes, isComplete} = await findBytes(folder, all);
	if (isComplete) {
		return keep({bytes, list: last?.bytes?.equals(bytes) ? last.list : {paths: absolute(bytes, folder), isComplete}});
	}

	lists.delete(key);
	const paths = new Set(absolute(bytes, folder));
	const nearby = await searchNearby(folder, (path, {name}) => {
		paths.add(path);
		return name === '.git';
	});
	return {paths: [...paths], isComplete: nearby.isComplete};
}

/** Returns what `choose` chooses from a list, once for each list and folder: it may look at the names only. */
export function chosenOnce<Chosen>(
	choose: (paths: readonly string[], folder: string) => Chosen,
): (list: FolderSearch, folder: string) => Chosen {
	const kept = new WeakMap<FolderSearch, Chosen>();
	return (list, folder) => {
		const known = kept.get(list);
		if (known !== undefined) {
			return known;
		}

		const chosen = choose(list.paths, folder);
		kept.set(list, chosen);
		return chosen;
	};
}

/** Returns the paths near the top of a folder that `isMatch` takes. Doesn't enter those. */
async function searchNearby(
	root: string,
	isMatch: (path: string, entry: Dirent) => boolean | Promise<boolean>,
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
			} else if (entry.isDirectory()) {
				isComplete &&= depth < maxDepth;
				if (depth < maxDepth) {
					waiting.push({folder: path, depth: depth + 1});
				}
			}
		}
	}

	return {paths, isComplete};
}
