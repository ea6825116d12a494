import {existsSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import type {Environment} from '../../../core/environment.ts';
import {searchFolders} from '../../../core/search-path.ts';

/**
 * Returns what to start for a program's name; undefined if Windows has none. Windows would first look in the working
 * folder, where a project may have a `git.exe` of its own, so there only the folders of `PATH` are searched (SAFETY
 * 15). Other systems search correctly on their own.
 */
export function findProgram(name: string, env: Environment, platform = process.platform): string | undefined {
	if (platform !== 'win32' || isAbsolute(name)) {
		return name;
	}

	const path = Object.entries(env).find(([key]) => key.toUpperCase() === 'PATH')?.[1] ?? '';
	return searchFolders(path)
		.map(folder => join(folder, `${name}.exe`))
		.find(existsSync);
}
