import {lstat} from 'node:fs/promises';
import {dirname, join, sep} from 'node:path';
import {namedHookFolder, usualHookFolders} from '../../sandbox/hook-folders.ts';
import {isInside} from '../command/paths.ts';

/**
 * True for a file that git runs with one of the user's next commands, outside of every sandbox: one in a folder of that use,
 * or in the one that `core.hooksPath` of the repository names. `path` is an absolute real path.
 */
export async function isGitHook(path: string): Promise<boolean> {
	if (
		path
			.toLowerCase()
			.split(sep)
			.some(name => usualHookFolders.includes(name))
	) {
		return true;
	}

	for (let top = dirname(path); top !== dirname(top); top = dirname(top)) {
		if (await lstat(join(top, '.git')).catch(() => undefined)) {
			const named = await namedHookFolder(top);
			return named !== undefined && isInside(path, named);
		}
	}

	return false;
}
