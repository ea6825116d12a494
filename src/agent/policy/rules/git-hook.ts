import {readFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {isInside} from '../command/paths.ts';

/** Folders in which projects keep what git runs, also before their settings say so. */
const usual = /(?:^|\/)(?:\.husky|\.githooks)(?:\/|$)/i;

/**
 * True for a file that git runs with one of the user's next commands, outside of every sandbox: one in a folder of that use,
 * or in the one that `core.hooksPath` of the repository names. `path` is an absolute real path.
 */
export async function isGitHook(path: string): Promise<boolean> {
	if (usual.test(path)) {
		return true;
	}

	for (let top = dirname(path); top !== dirname(top); top = dirname(top)) {
		const settings = await readFile(join(top, '.git', 'config'), 'utf8').catch(() => undefined);
		const [, named] = /^\s*hookspath\s*=\s*"?([^"\n#;]+?)"?\s*$/im.exec(settings ?? '') ?? [];
		if (settings !== undefined) {
			return named !== undefined && isInside(path, folderOf(resolve(top, named)));
		}
	}

	return false;
}

/** Returns the folder with the hooks that users write: husky's own in `_` start those beside it. */
function folderOf(hooks: string): string {
	return basename(hooks) === '_' ? dirname(hooks) : hooks;
}
