import {lstat, readFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {existing, isWithin} from './existing.ts';
import {linkedGit} from './git-places.ts';

/** Folders in which projects keep what git runs, also before their settings say so. */
export const usualHookFolders = ['.husky', '.githooks'];

/**
 * Returns the folder that `core.hooksPath` of the repository in a folder names, with the hooks that users write; undefined
 * if it names none.
 */
export async function namedHookFolder(top: string): Promise<string | undefined> {
	const git = join(top, '.git');
	const linked = await linkedGit(git);
	const files = [join(linked?.git ?? git, 'config.worktree'), join(linked?.common ?? git, 'config')];
	const settings = await Promise.all(files.map(file => readFile(file, 'utf8').catch(() => '')));
	const [named] = settings.flatMap(text => /^\s*hookspath\s*=\s*"?([^"\n#;]+?)"?\s*$/im.exec(text)?.[1] ?? []);
	return named === undefined ? undefined : folderOf(resolve(top, named));
}

/** Husky's own hooks in `_` start those beside it. */
function folderOf(hooks: string): string {
	return basename(hooks) === '_' ? dirname(hooks) : hooks;
}

/**
 * Returns the folders of hooks in a working folder beside those of git itself, as real paths: a command that changed one
 * would run outside the sandbox with the user's next commit. `absent` has those that settings name but that don't exist.
 */
export async function hookFolders(
	workspace: string,
	tops: readonly string[],
): Promise<{readonly found: readonly string[]; readonly absent: readonly string[]}> {
	const isBelow = (path: string) =>
		path !== workspace && isWithin(path, workspace) && !path.split('/').includes('.git');
	const named = (await Promise.all(tops.map(namedHookFolder))).filter(path => path !== undefined).filter(isBelow);
	const usual = tops.flatMap(top => usualHookFolders.map(name => join(top, name))).filter(isBelow);
	const found = await existing([...named, ...usual]);
	const isAbsent = async (path: string) => (await isMissing(path)) && (await existing([dirname(path)])).length > 0;
	const areAbsent = await Promise.all(named.map(isAbsent));
	return {
		found: found.flatMap(({path, isFolder}) => (isFolder && isBelow(path) ? [path] : [])),
		absent: named.filter((_, index) => areAbsent[index]),
	};
}

async function isMissing(path: string): Promise<boolean> {
	return lstat(path).then(
		() => false,
		() => true,
	);
}
