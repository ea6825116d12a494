import {lstat, readdir, readFile, realpath} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {existing} from './existing.ts';

/** What of git's data a command may change. */
export type GitPlaces = {
	/** Git's folders: a commit writes its objects, references and index there. */
	readonly writable: readonly string[];
	/** What git runs or obeys: a command that changed it would run outside the sandbox with the user's next `git`. */
	readonly readOnly: readonly string[];
	/** Folders of hooks, and `.git` folders, that don't exist yet. */
	readonly absent: readonly string[];
};

const none: GitPlaces = {writable: [], readOnly: [], absent: []};

/** How far repositories inside the working folder are searched for. */
const maxDepth = 3;
const maxFolders = 2000;

/** Returns the places of git in a working folder: its own repository and those inside it. */
export async function gitPlaces(workspace: string): Promise<GitPlaces> {
	const folders = await repositoryFolders(workspace);
	const own = folders.includes(workspace) ? [] : [join(workspace, '.git')];
	const places = await Promise.all(folders.map(folder => placesOf(folder)));
	return merged([...places, {...none, absent: own}]);
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

/** Returns the folders with a `.git`, from the working folder down, as far as is searched. */
export async function repositoryFolders(workspace: string): Promise<readonly string[]> {
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

async function placesOf(folder: string): Promise<GitPlaces> {
	const path = join(folder, '.git');
	const stats = await lstat(path).catch(() => undefined);
	if (stats?.isDirectory()) {
		// An empty one is where another sandbox mounts, or what a killed one left.
		const isEmpty = (await readdir(path).catch(() => ['?'])).length === 0;
		return isEmpty ? {...none, absent: [path]} : repositoryPlaces(path);
	}

	return stats?.isFile() ? linkedPlaces(path) : none;
}

/** Returns the places of a folder of git and of the submodules in it. */
async function repositoryPlaces(git: string): Promise<GitPlaces> {
	const [modules, worktrees] = await Promise.all(['modules', 'worktrees'].map(name => namesIn(join(git, name))));
	const fixed = ['config', 'config.worktree', 'commondir', 'hooks'].map(name => join(git, name));
	const ofWorktrees = (worktrees ?? []).flatMap(name =>
		['commondir', 'gitdir', 'config.worktree'].map(file => join(git, 'worktrees', name, file)),
	);
	const found = await existing([...fixed, ...ofWorktrees]);
	const hooks = join(git, 'hooks');
	const inner = await Promise.all((modules ?? []).map(name => repositoryPlaces(join(git, 'modules', name))));
	const own = {
		writable: [git],
		readOnly: found.map(place => place.path),
		absent: (await lstat(hooks).catch(() => undefined)) ? [] : [hooks],
	};
	return merged([own, ...inner.map(places => ({...places, writable: []}))]);
}

/**
 * Returns the places of a worktree or a submodule, whose `.git` is a file that names a folder elsewhere. That folder counts
 * only if it names this file in turn: otherwise the file could make any folder writable.
 */
async function linkedPlaces(file: string): Promise<GitPlaces> {
	const readOnly = [file];
	const [, target] = /^gitdir: (.+)$/m.exec(await text(file)) ?? [];
	const git = target && (await realpath(resolve(dirname(file), target)).catch(() => undefined));
	if (!git) {
		return {...none, readOnly};
	}

	const isWorktree = basename(dirname(git)) === 'worktrees';
	const back = isWorktree
		? (await text(join(git, 'gitdir'))).trim()
		: join(resolve(git, /^\s*worktree = (.+)$/m.exec(await text(join(git, 'config')))?.[1] ?? '/'), '.git');
	if ((await realpath(back).catch(() => undefined)) !== file) {
		return {...none, readOnly};
	}

	const places = await repositoryPlaces(isWorktree ? dirname(dirname(git)) : git);
	return merged([{...none, readOnly}, places]);
}

async function namesIn(folder: string): Promise<readonly string[]> {
	const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
	return entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
}

async function text(file: string): Promise<string> {
	return readFile(file, 'utf8').catch(() => '');
}

function merged(places: readonly GitPlaces[]): GitPlaces {
	return {
		writable: places.flatMap(({writable}) => writable),
		readOnly: places.flatMap(({readOnly}) => readOnly),
		absent: places.flatMap(({absent}) => absent),
	};
}
