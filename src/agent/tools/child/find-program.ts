import {existsSync, realpathSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, isAbsolute, join, relative, sep} from 'node:path';
import type {Environment} from '../../../core/environment.ts';
import {searchFolders} from '../../../core/search-path.ts';
import {isProgram} from '../../../terminal/called-as.ts';

/**
 * Returns what to start for a program's name; undefined if Windows has none. Windows would first look in the working
 * folder, where a project may have a `git.exe` of its own, so there only the folders of `PATH` are searched (SAFETY
 * 15). Other systems search correctly on their own.
 */
export function findProgram(name: string, env: Environment, platform = process.platform): string | undefined {
	if (platform !== 'win32' || isAbsolute(name)) {
		return name;
	}

	return firstIn(searchFolders(pathOf(env)), name, platform);
}

/**
 * Returns the folders of `PATH` outside of the project that a working folder, a real path, is in: in its own, such as
 * `node_modules/.bin` and the `bin` of a virtual environment, the project or a command may have put a program of any name (SAFETY 15).
 */
export function foldersOutside(workspace: string, env: Environment): readonly string[] {
	const root = projectRoot(workspace, realOf(homedir()));
	return searchFolders(pathOf(env)).filter(folder => {
		const below = relative(root, realOf(folder));
		return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
	});
}

/** Returns the path of a program in the first of these folders that has it; undefined if none does. */
export function firstIn(
	folders: readonly string[],
	name: string,
	platform: NodeJS.Platform = process.platform,
): string | undefined {
	if (isAbsolute(name)) {
		return name;
	}

	return platform === 'win32'
		? folders.map(folder => join(folder, `${name}.exe`)).find(existsSync)
		: folders.map(folder => join(folder, name)).find(isProgram);
}

function pathOf(env: Environment): string {
	return Object.entries(env).find(([key]) => key.toUpperCase() === 'PATH')?.[1] ?? '';
}

function realOf(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		return folder;
	}
}

/**
 * Returns the root of the project that a folder is in: the nearest parent with `.git`, else the folder itself. The home
 * folder and what is above it are no project. Both are real paths.
 */
export function projectRoot(folder: string, homeFolder: string): string {
	for (let path = folder; !isOrHolds(path, homeFolder); path = dirname(path)) {
		if (existsSync(join(path, '.git'))) {
			return path;
		}
	}

	return folder;
}

function isOrHolds(path: string, inner: string): boolean {
	return path === dirname(path) || path === inner || inner.startsWith(`${path}${sep}`);
}
