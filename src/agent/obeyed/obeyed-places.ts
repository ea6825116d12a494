import {readlink} from 'node:fs/promises';
import {dirname, extname, join, relative, sep} from 'node:path';
import {existing, exists, isWithin, outermost} from '../paths/existing.ts';
import {dataEndings, type GitOrders} from './git-orders.ts';
import type {GitPlaces} from './git-places.ts';

/** What git or a hook obeys and a command could write, beside git's own folders. */
export type ObeyedPlaces = {
	/** Existing files and folders, without links on their way. */
	readonly fixed: readonly string[];
	/** The outermost missing folders on the way to folders of hooks that don't exist. */
	readonly absent: readonly string[];
	/** Files that don't exist: nothing can be mounted there, so that they are set aside once they do. */
	readonly awaited: readonly string[];
	/** Links on the way to any of them, with what they name. */
	readonly links: ReadonlyArray<readonly [path: string, target: string]>;
};

/** Git's places, with what is set aside if a command makes or replaces it. */
export type GuardedGit = GitPlaces & Pick<ObeyedPlaces, 'awaited' | 'links'> & {readonly orders: GitOrders};

/** Returns the places of orders in a working folder, and in folders of git that are elsewhere. */
export async function obeyedPlaces(
	{settings, folders, programs, named}: GitOrders,
	workspace: string,
	git: GitPlaces,
): Promise<ObeyedPlaces> {
	const roots = [workspace, ...git.writable];
	const rootOf = (path: string) => roots.find(root => path !== root && isWithin(path, root));
	const isReachable = (path: string) => rootOf(path) !== undefined && !isWithin(workspace, path);
	const files = [...settings, ...programs].filter(isReachable);
	const inFolders = [...folders].filter(isReachable);
	const words = [...named].filter(path => isReachable(path) && !dataEndings.has(extname(path).toLowerCase()));
	const [found, foundWords, missing, missingFolders] = await Promise.all([
		existing([...files, ...inFolders]),
		existing(words),
		areMissing(files),
		areMissing(inFolders),
	]);
	const areFiles = foundWords.filter(({isFolder}) => !isFolder);
	const ways = await Promise.all(missingFolders.map(path => missingOnTheWay(path, rootOf(path) ?? workspace)));
	return {
		fixed: [...new Set([...found, ...areFiles].map(({path}) => path))].filter(isReachable),
		absent: outermost(ways.flat()),
		awaited: missing,
		links: (await Promise.all([...files, ...inFolders, ...words].map(path => linksTo(path, workspace)))).flat(),
	};
}

async function areMissing(paths: readonly string[]): Promise<readonly string[]> {
	const found = await Promise.all(paths.map(exists));
	return paths.filter((_, index) => !found[index]);
}

/** Returns a missing path with the missing folders above it. */
async function missingOnTheWay(path: string, root: string): Promise<readonly string[]> {
	const above = dirname(path);
	const isAbove = above !== root && isWithin(above, root) && !(await exists(above));
	return [path, ...(isAbove ? await missingOnTheWay(above, root) : [])];
}

/** Returns the links below a folder on the way to a path, and the path if it is one. */
async function linksTo(path: string, folder: string): Promise<ReadonlyArray<readonly [string, string]>> {
	const names = isWithin(path, folder) ? relative(folder, path).split(sep) : [];
	const ways = names.map((_, index) => join(folder, ...names.slice(0, index + 1)));
	const targets = await Promise.all(ways.map(way => readlink(way).catch(() => undefined)));
	return ways.flatMap((way, index) => {
		const target = targets[index];
		return target === undefined ? [] : [[way, target] as const];
	});
}
