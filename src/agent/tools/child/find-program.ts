import {existsSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import type {Environment} from '../../../core/environment.ts';
import {searchFolders} from '../../../core/search-path.ts';

/**
 * What to start for the name of a program. Windows looks into the working folder first, where a project may have a
 * `git.exe` of its own; there the name is looked up here, in the folders of `PATH` alone (SAFETY 15), and undefined
 * where it is in none of them. Elsewhere the system does it right by itself.
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
