import {lstat, lutimes, readdir, readFile, realpath} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {existing} from '../paths/existing.ts';
import type {FolderSearch} from '../paths/search-folder.ts';
import {findRepositories, type Repositories} from './find-repositories.ts';

/** What of git's data a command may change. */
export type GitPlaces = {
	/** Git's folders, and those on the way to their settings: a commit writes there, but none of them can be renamed. */
	readonly writable: readonly string[];
	/** What git runs or obeys: a command that changed it would run outside the sandbox with the user's next `git`. */
	readonly readOnly: readonly string[];
	/** Folders of hooks, and `.git` folders, that don't exist yet. */
	readonly absent: readonly string[];
	/** Each `.git`, and each folder that is a repository without one, in the working folder. */
	readonly tops: readonly string[];
	readonly repositories: Repositories;
};

const none: GitPlaces = {
	writable: [],
	readOnly: [],
	absent: [],
	tops: [],
	repositories: {folders: [], bare: []},
};

const maxModuleFolders = 500;

/**
 * Returns the places of git in a working folder: its own repository, those inside it, and the one that it is a part of,
 * whose folder is `outer`.
 */
export async function gitPlaces(workspace: string, outer?: string, listing?: FolderSearch): Promise<GitPlaces> {
	const repositories = await findRepositories(workspace, listing);
	const {folders, bare} = repositories;
	const own = folders.includes(workspace) ? [] : [join(workspace, '.git')];
	const places = await Promise.all([
		...[...folders, ...(outer === undefined ? [] : [outer])].map(folder => placesOf(join(folder, '.git'))),
		...bare.filter(folder => folder !== workspace).map(folder => repositoryPlaces(folder)),
	]);
	const tops = [...folders.map(folder => join(folder, '.git')), ...bare];
	return {...merged([...places, {...none, absent: own, tops}]), repositories};
}

/** Returns the folder of the repository that a folder is in, if it isn't the folder itself. */
export async function outerRepository(workspace: string): Promise<string | undefined> {
	const parents: string[] = [];
	for (let folder = dirname(workspace); folder !== dirname(folder); folder = dirname(folder)) {
		parents.push(folder);
	}

	const found = await existing(parents.map(folder => join(folder, '.git')));
	return found[0] && dirname(found[0].path);
}

/**
 * Lets git trust its index about withheld files, by their size and age alone. It reads each file that is as new as the index
 * in seconds, which it can't here: after a clone all are. If none was changed after the index in that second, none can be
 * mistaken for unchanged, and the index becomes a second newer.
 */
export async function settleIndex(
	folder: string,
	withheld: readonly string[],
	paths: readonly string[],
): Promise<void> {
	const top = join(folder, '.git');
	const git = (await lstat(top).catch(() => undefined))?.isFile() ? (await linkedGit(top))?.git : top;
	const index = join(git ?? top, 'index');
	const stats = await lstat(index).catch(() => undefined);
	if (!stats?.isFile()) {
		return;
	}

	const second = Math.floor(stats.mtimeMs / 1000);
	const times = (files: readonly string[]) =>
		Promise.all(files.map(async path => (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0));
	const isFresh = (time: number) => Math.floor(time / 1000) === second;
	if (!(await times(withheld)).some(isFresh)) {
		return;
	}

	// In this second there may be more changes.
	const leftMs = (second + 1) * 1000 - Date.now();
	if (leftMs > 1000) {
		return;
	}

	if (leftMs > 0) {
		await setTimeout(leftMs);
	}

	const all = await times(paths);
	const newer = paths.filter(
		(path, place) => path !== folder && isFresh(all[place] ?? 0) && (all[place] ?? 0) >= stats.mtimeMs,
	);
	const data = newer.length > 0 ? await readFile(index) : undefined;
	// Since its version 4 an index has no whole paths.
	const isTracked = (path: string) =>
		data && (data.readUInt32BE(4) > 3 || data.includes(`${relative(folder, path)}\0`));
	if (!newer.some(isTracked)) {
		await lutimes(index, stats.atimeMs / 1000, second + 1);
	}
}

async function placesOf(path: string): Promise<GitPlaces> {
	const stats = await lstat(path).catch(() => undefined);
	if (stats?.isDirectory()) {
		// An empty one is where another sandbox mounts, or what a killed one left.
		const isEmpty = (await readdir(path).catch(() => ['?'])).length === 0;
		return isEmpty ? {...none, absent: [path]} : repositoryPlaces(path);
	}

	return stats?.isFile() ? linkedPlaces(path) : none;
}

/** Returns the places of a folder of git and of the submodules and worktrees in it. */
async function repositoryPlaces(git: string): Promise<GitPlaces> {
	const [{modules, folders}, worktrees] = await Promise.all([moduleFolders(git), foldersIn(join(git, 'worktrees'))]);
	const inGit = ['config', 'config.worktree', 'commondir', 'hooks'];
	const fixed = [
		...[git, ...modules].flatMap(folder => inGit.map(name => join(folder, name))),
		...worktrees.flatMap(folder => ['commondir', 'gitdir', 'config.worktree'].map(name => join(folder, name))),
	];
	const hooks = [git, ...modules].map(folder => join(folder, 'hooks'));
	const hasHooks = await Promise.all(hooks.map(path => lstat(path).catch(() => undefined)));
	return {
		...none,
		writable: [git, ...(worktrees.length > 0 ? [join(git, 'worktrees')] : []), ...worktrees, ...folders],
		readOnly: (await existing(fixed)).map(place => place.path),
		absent: hooks.filter((_, index) => !hasHooks[index]),
	};
}

/**
 * Returns the git folders of the submodules in one of git, also of those in submodules, and all folders on the way to them:
 * a submodule may have slashes in its name.
 */
export async function moduleFolders(
	git: string,
): Promise<{readonly modules: readonly string[]; readonly folders: readonly string[]}> {
	const modules: string[] = [];
	const folders: string[] = [];
	const waiting = [join(git, 'modules')];
	for (let folder = waiting.pop(); folder !== undefined && folders.length < maxModuleFolders; folder = waiting.pop()) {
		const stats = await lstat(folder).catch(() => undefined);
		if (!stats?.isDirectory()) {
			continue;
		}

		folders.push(folder);
		if (await lstat(join(folder, 'HEAD')).catch(() => undefined)) {
			modules.push(folder);
			waiting.push(join(folder, 'modules'));
		} else {
			waiting.push(...(await foldersIn(folder)));
		}
	}

	return {modules, folders};
}

/** Returns the places of a worktree or a submodule, whose `.git` is a file that names a folder elsewhere. */
async function linkedPlaces(file: string): Promise<GitPlaces> {
	const readOnly = [file];
	const linked = await linkedGit(file);
	return linked ? merged([{...none, readOnly}, await repositoryPlaces(linked.common)]) : {...none, readOnly};
}

/**
 * Returns the folder of git that the `.git` of a worktree or a submodule names, and the one that it shares with others.
 * Returns undefined if that folder doesn't name this file in turn: otherwise the file could claim any folder.
 */
export async function linkedGit(file: string): Promise<{readonly git: string; readonly common: string} | undefined> {
	const [, target] = /^gitdir: (.+)$/m.exec(await text(file)) ?? [];
	const git = target && (await realpath(resolve(dirname(file), target)).catch(() => undefined));
	if (!git) {
		return undefined;
	}

	const isWorktree = basename(dirname(git)) === 'worktrees';
	const back = isWorktree
		? (await text(join(git, 'gitdir'))).trim()
		: join(resolve(git, /^\s*worktree = (.+)$/m.exec(await text(join(git, 'config')))?.[1] ?? '/'), '.git');
	if ((await realpath(back).catch(() => undefined)) !== file) {
		return undefined;
	}

	return {git, common: isWorktree ? dirname(dirname(git)) : git};
}

/** Returns the folders in a folder, as absolute paths; none if it can't be read. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
	return entries.filter(entry => entry.isDirectory()).map(entry => join(folder, entry.name));
}

async function text(file: string): Promise<string> {
	return readFile(file, 'utf8').catch(() => '');
}

function merged(places: readonly GitPlaces[]): GitPlaces {
	return {
		...none,
		writable: places.flatMap(({writable}) => writable),
		readOnly: places.flatMap(({readOnly}) => readOnly),
		absent: places.flatMap(({absent}) => absent),
		tops: places.flatMap(({tops}) => tops),
	};
}
