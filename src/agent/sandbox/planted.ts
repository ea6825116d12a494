import {lstat, readdir, readFile, readlink, realpath, rename, writeFile} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {findRepositories, isBare} from '../obeyed/find-repositories.ts';
import {type Setting, settingsOf} from '../obeyed/git-orders.ts';
import {moduleFolders} from '../obeyed/git-places.ts';
import type {GuardedGit} from '../obeyed/obeyed-places.ts';
import {exists, isWithin} from '../paths/existing.ts';
import type {FolderSearch} from '../paths/search-folder.ts';

/** What git had in a working folder before a command: what is new after it may not make the user's own git run anything. */
export type GitSnapshot = {
	readonly workspace: string;
	/** Which file or folder each repository was, and each git folder of a submodule, by path. */
	readonly repositories: ReadonlyMap<string, string>;
	/** Files that didn't exist, and that redirect or set git. */
	readonly absent: readonly string[];
	/** Files that didn't exist, and that git or a hook of the session would obey, as their settings say. */
	readonly awaited: readonly string[];
	/** Links to what git obeys, with what they named. */
	readonly links: ReadonlyArray<readonly [path: string, target: string]>;
	readonly unfinished: Unfinished;
};

/** Settings of a new repository that start no program. Any other makes git ask. */
const runsNothing = new RegExp(
	`^(?:${[
		'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)',
		'core\\.(?:safecrlf|quotepath|abbrev|longpaths|whitespace|worktree|sharedrepository|compression|sparsecheckout.*)',
		'extensions\\..*|(?:user|author|committer)\\..*|init\\.defaultbranch|protocol\\.file\\.allow',
		'remote\\..*\\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|promisor|partialclonefilter)|branch\\..*',
		'submodule\\..*\\.(?:url|active|branch|ignore|path|shallow|fetchrecursesubmodules)|submodule\\.active',
		'(?:pull|push|fetch|rebase|rerere|advice|color|column|status|commit|tag|feature|index|pack|log|i18n)\\..*',
		'merge\\.(?:ff|conflictstyle|renames|stat|log)|diff\\.(?:renames|renamelimit|algorithm|colormoved|mnemonicprefix)',
		'lfs\\.(?:repositoryformatversion|https?:.*\\.(?:access|locksverify))',
	].join('|')})$`,
	'is',
);
/** These name files, whatever their value looks like. */
const namesFiles = /^(?:include(?:if\..*)?\.path|core\.hookspath|init\.templatedir)$/is;

/** Most bytes of a file of settings that are read. */
const maxConfig = 256 * 1024;

export async function gitSnapshot(workspace: string, git: GuardedGit): Promise<GitSnapshot> {
	const repositories = await identified(git.tops);
	const redirects = git.writable.flatMap(path => redirecting.map(name => join(path, name)));
	const heads = [workspace, ...git.tops.map(dirname)].map(folder => join(folder, 'HEAD'));
	const candidates = [...new Set([...redirects, ...heads])];
	const found = await Promise.all(candidates.map(exists));
	const {awaited, links} = git;
	const unfinished = await unfinishedIn(git.writable);
	return {workspace, repositories, absent: candidates.filter((_, index) => !found[index]), awaited, links, unfinished};
}

const redirecting = ['commondir', 'config', 'config.worktree'];

/**
 * Sets aside what a command planted for the user's own git: a sandbox can't prevent that such files appear, because git itself
 * writes beside them. `listing` is what the folder holds now, if somebody searched it. Returns a line for each.
 */
export async function removePlanted(snapshot: GitSnapshot, listing?: FolderSearch): Promise<readonly string[]> {
	return [
		...(await removeRedirects(snapshot)),
		...(await removeObeyed(snapshot)),
		...(await setAsideRepositories(snapshot, listing)),
	];
}

/** Sets aside only the files that redirect or set git, which is quick. Returns a line for each. */
export async function removeRedirects({workspace, absent}: GitSnapshot): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const path of absent) {
		if ((await exists(path)) && (redirecting.includes(basename(path)) || (await isBare(dirname(path))))) {
			notes.push(`${await setAside(path, workspace)}: it would redirect git`);
		}
	}

	return notes;
}

/** Sets aside only what settings of git name and what wasn't there, which is quick. Returns a line for each. */
export async function removeObeyed({workspace, awaited, links}: GitSnapshot): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const path of awaited) {
		if (await exists(path)) {
			notes.push(`${await setAside(path, workspace)}: git or a hook would obey it`);
		}
	}

	for (const [path, target] of links) {
		const isReplaced = (await readlink(path).catch(() => undefined)) !== target && (await exists(path));
		if (isReplaced) {
			notes.push(`${await setAside(path, workspace)}: git or a hook would obey what is there`);
		}
	}

	return notes;
}

/**
 * Removes what an unfinished operation would run that a command left, in repositories that it made as well. Call it when
 * the command has ended: git works with such files while it rebases. Returns a line for each.
 */
export async function removeUnfinished(
	{workspace, unfinished}: GitSnapshot,
	listing?: FolderSearch,
): Promise<readonly string[]> {
	const known = [...new Set(unfinished.map(([path]) => dirname(dirname(path))))];
	const {folders, bare} = await findRepositories(workspace, listing);
	const tops = await Promise.all([...folders.map(folder => join(folder, '.git')), ...bare].map(gitFolderOf));
	const inside = tops.filter(path => path !== undefined && isWithin(path, workspace)).map(String);
	const all = [...new Set([...known, ...inside])];
	const others = await Promise.all(
		all.map(async git => [...(await moduleFolders(git)).modules, ...(await worktreesOf(git))]),
	);
	const gits = [...new Set([...inside, ...others.flat()])].filter(git => !known.includes(git));
	const made = (await unfinishedIn(gits)).map(([path]) => [path, []] as const);
	return removeOrders([...unfinished, ...made]);
}

async function worktreesOf(git: string): Promise<readonly string[]> {
	const parent = join(git, 'worktrees');
	return (await readdir(parent).catch(() => [])).map(name => join(parent, name));
}

/** Renames new repositories from which git would run programs; of one without a `.git`, its `HEAD`. */
async function setAsideRepositories(
	{workspace, repositories}: GitSnapshot,
	listing: FolderSearch | undefined,
): Promise<readonly string[]> {
	const notes: string[] = [];
	// A path that now leads to another folder, such as a copy, is new as well.
	const isKnown = async (path: string) => repositories.get(path) === (await identityOf(path));
	const {folders, bare} = await findRepositories(workspace, listing);
	const tops = [...folders.map(folder => join(folder, '.git')), ...bare];
	for (const path of (await identified(tops)).keys()) {
		if (!(await isKnown(path)) && (await wouldRun(path, isKnown, workspace))) {
			const renamed = bare.includes(path) ? join(path, 'HEAD') : path;
			notes.push(`${await setAside(renamed, workspace)}: git would run programs from it`);
		}
	}

	return notes;
}

/** Renames what git would look for. The user may have made it meanwhile, so nothing is deleted. */
async function setAside(path: string, workspace: string): Promise<string> {
	const aside = `${path}-untrusted-${Date.now()}`;
	await rename(path, aside);
	const [from, to] = [path, aside].map(each => relative(workspace, each));
	return `renamed ${from} to ${to}`;
}

/** Returns repositories with the git folders of their submodules, each with what tells it from another. */
async function identified(tops: readonly string[]): Promise<ReadonlyMap<string, string>> {
	const inside = await Promise.all(tops.map(path => moduleFolders(path)));
	const paths = [...tops, ...inside.flatMap(({modules}) => modules)];
	return new Map(await Promise.all(paths.map(async path => [path, await identityOf(path)] as const)));
}

async function identityOf(path: string): Promise<string> {
	const stats = await lstat(path, {bigint: true}).catch(() => undefined);
	return stats ? `${stats.dev}:${stats.ino}` : '';
}

/** True if git would run a program because of this `.git`. Folders that were there before could not be changed. */
async function wouldRun(
	path: string,
	isKnown: (path: string) => Promise<boolean>,
	workspace: string,
): Promise<boolean> {
	const folder = await gitFolderOf(path);
	if (folder === undefined) {
		return false;
	}

	const common = (await text(join(folder, 'commondir'))).trim();
	const folders = common ? [folder, resolve(folder, common)] : [folder];
	const dangers = await Promise.all(
		folders.map(async each => !(await isKnown(each)) && ((await hasProgram(each, workspace)) || (await hasHook(each)))),
	);
	return dangers.includes(true);
}

/** Returns the folder that a `.git` is, or that it names; undefined if there is none. */
async function gitFolderOf(path: string): Promise<string | undefined> {
	const isFile = (await lstat(path).catch(() => undefined))?.isFile() === true;
	const [, target = '.'] = isFile ? (/^gitdir: (.+)$/m.exec(await text(path)) ?? []) : [];
	return realpath(isFile ? resolve(dirname(path), target) : path).catch(() => undefined);
}

/** True if settings may name a program, or can't be read. */
async function hasProgram(git: string, workspace: string): Promise<boolean> {
	const files = ['config', 'config.worktree'].map(name => join(git, name));
	const found = await Promise.all(
		files.map(async file =>
			(await exists(file)) ? settingsOf(['config', '--file', file], git, {workspace, homeFolder: git}) : [],
		),
	);
	return !found.every(settings => settings?.every(isHarmless));
}

function isHarmless({key, value}: Setting): boolean {
	const isSwitch = /^(?:true|false|yes|no|on|off|-?\d+[kmg]?|)$/i.test(value) && !namesFiles.test(key);
	return isSwitch || value === '/dev/null' || (runsNothing.test(key) && !value.includes('::'));
}

async function hasHook(git: string): Promise<boolean> {
	const names = await readdir(join(git, 'hooks')).catch(() => []);
	return names.some(name => !name.endsWith('.sample'));
}

/** Returns the beginning of a regular file; nothing of any other. */
async function text(path: string): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	return stats?.isFile() ? (await readFile(path, 'utf8').catch(() => '')).slice(0, maxConfig) : '';
}

/** The orders that an unfinished rebase or pick leaves for the user's next `git rebase --continue`: those of each file. */
type Unfinished = ReadonlyArray<readonly [path: string, orders: readonly string[]]>;

const folders = ['rebase-merge', 'rebase-apply', 'sequencer'];
/** Files with steps, and those whose text names a program: a strategy with a slash is a path. */
const files = ['git-rebase-todo', 'todo', 'strategy', 'opts'];

const maxBytes = 1024 * 1024;

/** Returns the orders in the unfinished operations of these folders of git. */
async function unfinishedIn(gits: readonly string[]): Promise<Unfinished> {
	const paths = gits.flatMap(git => folders.flatMap(folder => files.map(file => join(git, folder, file))));
	const found = await Promise.all(paths.map(async path => [path, await ordersIn(path)] as const));
	return found.flatMap(([path, orders]) => (orders === 'unclear' ? [[path, []] as const] : [[path, orders] as const]));
}

/**
 * Removes the orders that were not there before: steps that run a program become comments, and what can't be read so is
 * set aside. Returns a line for each file.
 */
async function removeOrders(before: Unfinished): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const [path, known] of before) {
		const now = await ordersIn(path);
		if (now !== 'unclear' && withoutKnown(now, known).length === 0) {
			continue;
		}

		const aside = `${path}-untrusted-${Date.now()}`;
		const shown = `${basename(dirname(path))}/${basename(path)}`;
		const isReplaced = now !== 'unclear' && isSteps(path);
		const text = isReplaced ? await readFile(path, 'utf8') : '';
		await rename(path, aside);
		if (isReplaced) {
			await writeFile(path, commented(text, known), {flag: 'wx'});
			notes.push(`turned what ${shown} would run into comments: git rebase --continue would run it`);
		} else {
			notes.push(`renamed ${shown} to ${basename(aside)}: git would run what it names`);
		}
	}

	return notes;
}

function isSteps(path: string): boolean {
	return /todo$/.test(path);
}

function isOrder(line: string): boolean {
	return /^[ \t]*(?:exec|x)(?:[ \t]|$)/.test(line);
}

function commented(text: string, known: readonly string[]): string {
	const left = [...known];
	const lines = text.split('\n').map(line => {
		const index = isOrder(line) ? left.indexOf(line.trim()) : -1;
		if (index >= 0) {
			left.splice(index, 1);
		}

		return isOrder(line) && index < 0 ? `# ${line}` : line;
	});
	return lines.join('\n');
}

function withoutKnown(orders: readonly string[], known: readonly string[]): readonly string[] {
	const left = [...known];
	return orders.filter(order => {
		const index = left.indexOf(order);
		if (index >= 0) {
			left.splice(index, 1);
		}

		return index < 0;
	});
}

/** Returns the orders in a file; `unclear` for one that isn't a plain file where it seems to be. */
async function ordersIn(path: string): Promise<readonly string[] | 'unclear'> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) {
		return [];
	}

	const folder = dirname(path);
	if (!stats.isFile() || stats.size > maxBytes || (await realpath(folder).catch(() => '')) !== folder) {
		return 'unclear';
	}

	const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').map(line => line.trim());
	if (isSteps(path)) {
		return lines.filter(isOrder);
	}

	return lines.filter(line => (basename(path) === 'strategy' ? line.includes('/') : /^strategy\b.*\//.test(line)));
}
