import {lstat, readdir, readFile, realpath, rename, rm} from 'node:fs/promises';
import {dirname, join, relative, resolve} from 'node:path';
import {repositoryFolders} from './git-places.ts';

/** What git had in a working folder before a command: what is new after it may not make the user's own git run anything. */
export type GitSnapshot = {
	readonly workspace: string;
	/** Folders with a `.git`. */
	readonly repositories: readonly string[];
	/** Files that didn't exist, and that redirect git. */
	readonly absent: readonly string[];
};

/** Settings that name a program, or a file with further settings. */
const runsPrograms =
	/\b(?:fsmonitor|hookspath|sshcommand|pager|editor|askpass|gitproxy|helper|program|textconv|command|external|clean|smudge|process|driver|cmd|path)\s*=(?!\s*false\b)|\[\s*(?:alias|include)/i;

/** Most bytes of a file of settings that are read. */
const maxConfig = 256 * 1024;

export async function gitSnapshot(workspace: string): Promise<GitSnapshot> {
	const repositories = await repositoryFolders(workspace);
	const redirects = repositories.map(folder => join(folder, '.git', 'commondir'));
	const candidates = [...redirects, ...[workspace, ...repositories].map(folder => join(folder, 'HEAD'))];
	const found = await Promise.all(candidates.map(exists));
	return {workspace, repositories, absent: candidates.filter((_, index) => !found[index])};
}

/**
 * Removes what a command planted for the user's own git: a sandbox can't prevent that such files appear, because git itself
 * writes beside them. Returns a line for each.
 */
export async function removePlanted({workspace, repositories, absent}: GitSnapshot): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const path of absent) {
		if ((await exists(path)) && (path.endsWith('commondir') || (await isBare(dirname(path))))) {
			await rm(path, {recursive: true, force: true});
			notes.push(`removed ${relative(workspace, path)}, which would redirect git`);
		}
	}

	const planted = (await repositoryFolders(workspace)).filter(folder => !repositories.includes(folder));
	for (const folder of planted) {
		const path = join(folder, '.git');
		if (await wouldRun(path)) {
			const aside = `${path}-untrusted-${Date.now()}`;
			await rename(path, aside);
			notes.push(
				`renamed ${relative(workspace, path)} to ${relative(workspace, aside)}: git would run programs from it`,
			);
		}
	}

	return notes;
}

/** True for a folder that git takes for a repository without a `.git`. */
async function isBare(folder: string): Promise<boolean> {
	return (await exists(join(folder, 'objects'))) && (await exists(join(folder, 'refs')));
}

/** True if git would run a program because of this `.git`. */
async function wouldRun(path: string): Promise<boolean> {
	const stats = await lstat(path);
	const [, target] = stats.isFile() ? (/^gitdir: (.+)$/m.exec(await text(path)) ?? []) : [undefined, '.'];
	const folder = await realpath(stats.isFile() ? resolve(dirname(path), target ?? '.') : path).catch(() => undefined);
	if (folder === undefined) {
		return false;
	}

	const common = (await text(join(folder, 'commondir'))).trim();
	const folders = common ? [folder, resolve(folder, common)] : [folder];
	const dangers = await Promise.all(folders.map(async each => (await hasProgram(each)) || (await hasHook(each))));
	return dangers.includes(true);
}

async function hasProgram(git: string): Promise<boolean> {
	const settings = await Promise.all(['config', 'config.worktree'].map(name => text(join(git, name))));
	return settings.some(content => content.length >= maxConfig || runsPrograms.test(content));
}

async function hasHook(git: string): Promise<boolean> {
	const names = await readdir(join(git, 'hooks')).catch(() => []);
	return names.some(name => !name.endsWith('.sample'));
}

async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

/** Returns the beginning of a regular file; nothing of any other. */
async function text(path: string): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	return stats?.isFile() ? (await readFile(path, 'utf8').catch(() => '')).slice(0, maxConfig) : '';
}
