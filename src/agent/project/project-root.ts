import {existsSync} from 'node:fs';
import {dirname, join, sep} from 'node:path';

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
