import {lstat, readdir, readFile, realpath} from 'node:fs/promises';
import {homedir} from 'node:os';
import {basename, dirname, extname, isAbsolute, join, resolve, sep} from 'node:path';
import process from 'node:process';
import {AppError} from '../../core/error.ts';
import {isWithin} from '../paths/existing.ts';
import {runChild} from '../tools/child/run-child.ts';
import type {Repositories} from './find-repositories.ts';
import {foldersIn, linkedGit, moduleFolders} from './git-places.ts';

/**
 * What git obeys, as git itself says: settings of the repositories of a working folder, of the user and of the system, with
 * every file that they include. All paths are absolute, and most of those that words name don't exist.
 */
export type GitOrders = {
	/** Files of settings: those that git reads, and those that it would read on another branch or once they exist. */
	readonly settings: ReadonlySet<string>;
	/** Folders of hooks and templates. */
	readonly folders: ReadonlySet<string>;
	/** Programs that settings name by their path. */
	readonly programs: ReadonlySet<string>;
	/** What any other word of a setting may mean. */
	readonly named: ReadonlySet<string>;
	/** What the words of hooks may mean, and those words, among them the names of scripts. */
	readonly called: ReadonlySet<string>;
	readonly words: ReadonlySet<string>;
	/** False if git could not be asked about all of it. */
	readonly isComplete: boolean;
};

/** The names that git looks for in a folder of hooks. */
export const hookNames: ReadonlySet<string> = new Set(
	`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
	pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
	reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist
	p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change`.split(/\s+/),
);

/** Folders in which projects keep what git runs, also before their settings say so. */
export const usualHookFolders = ['.husky', '.githooks'];

/** A setting, and the path of the file that has it. */
export type Setting = {readonly file: string; readonly key: string; readonly value: string};

/** Where git is asked: in a folder, or about a folder of git. */
type Asked = {
	readonly cwd: string;
	readonly isGit?: true;
	/** Git's own folder, with the hooks. */
	readonly git?: string;
	/** Where programs that settings name may start. */
	readonly bases: readonly string[];
};

type Options = {
	/** A real path. */
	readonly workspace: string;
	readonly homeFolder?: string | undefined;
	/** What is in the working folder. */
	readonly repositories: Repositories;
	/** The folder of the repository that the working folder is in. */
	readonly outer?: string | undefined;
};

type Place = {readonly workspace: string; readonly homeFolder: string};

const maxAsked = 200;
const maxAtOnce = 8;
/** How long git may take to answer. On a busy machine its start alone takes seconds, and without an answer everything asks. */
export const askTimeoutMs = 20_000;
const maxAnswerBytes = 4_000_000;
const maxHooks = 200;
const maxHookBytes = 256 * 1024;

/** Answers, with the stamps of the files that they come from. */
const answers = new Map<string, {readonly orders: GitOrders; readonly stamps: ReadonlyMap<string, string>}>();
const maxAnswers = 20;

/** Returns what git obeys in a working folder. Git is asked again only if a file changed that its answer came from. */
export async function gitOrders({workspace, homeFolder = homedir(), repositories, outer}: Options): Promise<GitOrders> {
	const asked = await repositoriesToAsk(workspace, repositories, outer);
	const key = JSON.stringify([workspace, homeFolder, globalSettings(homeFolder), asked]);
	const last = answers.get(key);
	if (last && (await isCurrent(last.stamps))) {
		return last.orders;
	}

	const {orders, sources} = await ask(asked.slice(0, maxAsked), {workspace, homeFolder});
	const complete = {...orders, isComplete: orders.isComplete && asked.length <= maxAsked};
	answers.delete(key);
	if (complete.isComplete) {
		answers.set(key, {orders: complete, stamps: await stampsOf([...sources])});
	}

	for (const old of [...answers.keys()].slice(0, -maxAnswers)) {
		answers.delete(old);
	}

	return complete;
}

async function repositoriesToAsk(
	workspace: string,
	{folders, bare}: Repositories,
	outer: string | undefined,
): Promise<readonly Asked[]> {
	const tops = [...new Set([...folders, ...(outer === undefined ? [] : [outer])])];
	const ofTops = await Promise.all(
		tops.map(async top => {
			const git = (await linkedGit(join(top, '.git')))?.common ?? join(top, '.git');
			const [{modules}, worktrees] = await Promise.all([moduleFolders(git), foldersIn(join(git, 'worktrees'))]);
			const bases = [...new Set([top, workspace])];
			return [
				{cwd: top, git, bases},
				...modules.map(module => ({cwd: module, isGit: true as const, git: module, bases: [module]})),
				...worktrees.map(worktree => ({cwd: worktree, isGit: true as const, bases: [worktree]})),
			];
		}),
	);
	return [
		// Outside of a repository, git answers with the settings of the user and the system.
		...(tops.includes(workspace) ? [] : [{cwd: workspace, bases: [workspace]}]),
		...ofTops.flat(),
		...bare.map(folder => ({cwd: folder, isGit: true as const, git: folder, bases: [folder]})),
	];
}

async function ask(asked: readonly Asked[], place: Place) {
	const collected = createCollection(place);
	const waiting = asked.values();
	const work = async () => {
		for (const {cwd, isGit, git, bases} of waiting) {
			const args = isGit ? [`--git-dir=${cwd}`, 'config'] : ['config'];
			collected.add(await settingsOf([...args, '--includes'], cwd, place), bases);
			await collected.addHooks(git, bases);
		}
	};
	await Promise.all(Array.from({length: maxAtOnce}, work));
	await collected.follow();
	return collected;
}

/** Collects what settings and hooks name, and the files from which that comes. */
function createCollection(place: Place) {
	const {workspace, homeFolder} = place;
	const orders = {
		settings: new Set<string>(),
		folders: new Set<string>(),
		programs: new Set<string>(),
		named: new Set<string>(),
		called: new Set<string>(),
		words: new Set<string>(),
		isComplete: true,
	};
	const sources = new Set(globalSettings(homeFolder));
	const read = new Set<string>();
	const included: {readonly path: string; readonly bases: readonly string[]}[] = [];
	const hookFolders: {readonly folder: string; readonly bases: readonly string[]}[] = [];

	const addFile = async (path: string) => {
		for (const each of [resolve(path), await physical(path)]) {
			sources.add(each);
			orders.settings.add(each);
		}
	};

	const addSetting = ({file, key, value}: Setting, bases: readonly string[]) => {
		const path = expanded(value, homeFolder);
		if (/^include(?:if\..*)?\.path$/is.test(key)) {
			// Not normalized: a folder on the way may be a link.
			included.push(
				...(path === undefined ? [] : [{path: isAbsolute(path) ? path : `${dirname(file)}${sep}${path}`, bases}]),
			);
		} else if (key === 'core.hookspath' || key === 'init.templatedir') {
			addFolder(resolve(bases[0] ?? workspace, path || sep), bases);
		} else if (!isDescription.test(key) || value.includes('::')) {
			const words = wordsOf(value);
			for (const each of pathsOf(words.filter(isProgram(key)), bases, homeFolder)) {
				orders.programs.add(each);
			}

			for (const each of pathsOf(words, bases, homeFolder)) {
				orders.named.add(each);
			}
		}
	};

	const addFolder = (path: string, bases: readonly string[]) => {
		// Husky's own hooks in `_` start those beside it.
		const folder = basename(path) === '_' && !bases.includes(dirname(path)) ? dirname(path) : path;
		hookFolders.push(...[...new Set([path, folder])].map(each => ({folder: each, bases})));
		if ([workspace, ...bases].some(base => isWithin(base, folder))) {
			for (const name of hookNames) {
				orders.programs.add(join(folder, name));
			}
		} else {
			orders.folders.add(folder);
		}
	};

	/** Reads what hooks call, as far as their words say it. Returns false if the folder doesn't exist. */
	const readHooks = async (folder: string, bases: readonly string[]) => {
		sources.add(folder);
		const real = await physical(folder);
		if (real !== folder) {
			orders.folders.add(real);
		}

		const entries = await readdir(folder).catch(() => undefined);
		const names = (entries ?? []).filter(name => !name.endsWith('.sample')).slice(0, maxHooks);
		for (const file of names.map(name => join(folder, name))) {
			sources.add(file);
			const real = await physical(file);
			if (real !== file) {
				sources.add(real);
				orders.programs.add(real);
			}

			const words = wordsOf(await beginningOf(real));
			for (const word of words) {
				orders.words.add(word);
			}

			for (const path of pathsOf(words, [...bases, folder], homeFolder)) {
				orders.called.add(path);
			}
		}

		return entries !== undefined;
	};

	return {
		orders,
		sources,
		/** Adds the settings of a repository; undefined if git didn't tell them. */
		add(settings: readonly Setting[] | undefined, bases: readonly string[]) {
			orders.isComplete &&= settings !== undefined;
			for (const setting of settings ?? []) {
				read.add(resolve(setting.file));
				addSetting(setting, bases);
			}
		},
		async addHooks(git: string | undefined, bases: readonly string[]) {
			const own = git === undefined ? [] : [git];
			own.forEach(folder => void sources.add(join(folder, 'commondir')));
			for (const path of own.flatMap(folder => ['config', 'config.worktree'].map(name => join(folder, name)))) {
				// Git doesn't read those of a folder that isn't a repository yet.
				included.push({path, bases});
			}

			const usual = bases.flatMap(base => usualHookFolders.map(name => join(base, name)));
			for (const folder of own.map(each => join(each, 'hooks'))) {
				await readHooks(folder, bases);
			}

			for (const folder of usual) {
				if (await readHooks(folder, bases)) {
					orders.folders.add(folder);
				}
			}
		},
		/** Reads what is left: hooks elsewhere, and files that settings include only at times, such as on another branch. */
		async follow() {
			for (const file of read) {
				await addFile(file);
			}

			for (let next = included.pop(); next; next = included.pop()) {
				const {path, bases} = next;
				await addFile(path);
				const real = await physical(path);
				if (read.has(real) || read.has(resolve(path))) {
					continue;
				}

				read.add(real);
				const exists = (await lstat(real).catch(() => undefined))?.isFile() === true;
				const settings = exists ? await settingsOf(['config', '--file', real], dirname(real), place) : [];
				orders.isComplete &&= settings !== undefined && read.size <= maxAsked;
				for (const setting of read.size <= maxAsked ? (settings ?? []) : []) {
					addSetting(setting, bases);
				}
			}

			for (const {folder, bases} of hookFolders) {
				await readHooks(folder, bases);
			}

			for (const paths of [orders.folders, orders.programs, orders.named]) {
				for (const path of await Promise.all([...paths].map(physical))) {
					paths.add(path);
				}
			}
		},
	};
}

/** The files that git reads for every repository of a user. */
function globalSettings(homeFolder: string): readonly string[] {
	const {GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM = '/etc/gitconfig', XDG_CONFIG_HOME} = process.env;
	return [
		GIT_CONFIG_SYSTEM,
		...(GIT_CONFIG_GLOBAL === undefined
			? [join(homeFolder, '.gitconfig'), join(XDG_CONFIG_HOME ?? join(homeFolder, '.config'), 'git', 'config')]
			: [GIT_CONFIG_GLOBAL]),
	];
}

/** Settings that git never runs, nor looks for orders in: names, addresses, and what is fetched and pushed. */
const isDescription =
	/^(?:branch|user|author|committer|color|advice|url|gui|safe|maintenance|i18n)\.|^(?:remote|submodule)\..*\.(?:url|pushurl|fetch|push|branch|path|active)$|^core\.worktree$/is;

/** Files that no program runs, and that daily commands write. */
export const dataEndings: ReadonlySet<string> = new Set([
	'.json',
	'.jsonc',
	'.lock',
	'.md',
	'.txt',
	'.toml',
	'.yml',
	'.yaml',
	'.xml',
	'.csv',
]);

/** Settings whose value is a file that git only reads. */
const namesData = /(?:file|template)$/i;

/** Returns a test for the words of a setting that may name a program by its path: the first, or a script, as in `sh a.sh`. */
function isProgram(key: string): (word: string, index: number) => boolean {
	const mayBeScript = !namesData.test(key);
	return (word, index) =>
		index === 0 && word.includes('/')
			? true
			: mayBeScript && /[./]/.test(word) && !dataEndings.has(extname(word).toLowerCase());
}

/** Returns a path as git expands it; undefined for one in a folder of git's own or of another user. */
function expanded(value: string, homeFolder: string): string | undefined {
	if (value.startsWith('%(prefix)/') || /^~[^/]/.test(value)) {
		return undefined;
	}

	return value === '~' || value.startsWith('~/') ? join(homeFolder, value.slice(2)) : value;
}

/**
 * Returns the words of commands that may be names: no options, and no values such as `true`. A path behind a variable or
 * another command, as in `$TOP/a.sh`, counts as one in the folder.
 */
export function wordsOf(text: string): readonly string[] {
	const plain = text.replace(/(?:\$\w+|\$\{[^}\n]*\}|\))["']?\//g, ' ./');
	const words = (plain.match(/[\p{L}\p{N}_.@+~/=-]+/gu) ?? []).map(word => word.replace(/^-*\w+=|\.+$/g, ''));
	return [...new Set(words)].filter(word => word !== '' && !/^(?:-.*|\d+|true|false)$/.test(word));
}

/** Returns the paths that words may mean. */
export function pathsOf(words: readonly string[], bases: readonly string[], homeFolder: string): readonly string[] {
	const paths = words.map(word => (word.startsWith('~/') ? join(homeFolder, word.slice(2)) : word));
	return paths.flatMap(path => bases.map(base => resolve(base, path)));
}

/** Asks git for settings. Starts nothing else: no pager, no monitor, no hook, and no alias. Undefined if git fails. */
export async function settingsOf(
	args: readonly string[],
	cwd: string,
	{workspace, homeFolder}: Place,
): Promise<readonly Setting[] | undefined> {
	try {
		const {status, stdout, omittedBytes} = await runChild({
			command: 'git',
			args: [...args, '--list', '--show-origin', '--null'],
			cwd,
			outside: workspace,
			env: {...environment(), HOME: homeFolder},
			timeoutMs: askTimeoutMs,
			maxBytes: maxAnswerBytes,
			signal: new AbortController().signal,
		});
		return status === 0 && omittedBytes === 0 ? readSettings(stdout, cwd) : undefined;
	} catch (error) {
		if (error instanceof AppError) {
			return undefined;
		}

		throw error;
	}
}

/** The user's own git reads these variables as well. It is asked about a folder of any owner, and about one without a work tree. */
function environment(): Readonly<Record<string, string>> {
	const names = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'XDG_CONFIG_HOME'];
	const given = names.flatMap(name => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return {
		...Object.fromEntries(given),
		LC_ALL: 'C',
		GIT_PAGER: 'cat',
		GIT_TERMINAL_PROMPT: '0',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_CONFIG_COUNT: '2',
		GIT_CONFIG_KEY_0: 'safe.directory',
		GIT_CONFIG_VALUE_0: '*',
		GIT_CONFIG_KEY_1: 'safe.bareRepository',
		GIT_CONFIG_VALUE_1: 'all',
	};
}

function readSettings(text: string, cwd: string): readonly Setting[] {
	const fields = text.split('\0');
	return fields.flatMap((origin, index) => {
		if (index % 2 === 1 || !origin.startsWith('file:')) {
			return [];
		}

		const file = origin.slice('file:'.length);
		const [key = '', ...value] = (fields[index + 1] ?? '').split('\n');
		return [{file: isAbsolute(file) ? file : `${cwd}${sep}${file}`, key, value: value.join('\n')}];
	});
}

/** Returns the path without links, as far as it exists. Only what is left is normalized. */
export async function physical(path: string): Promise<string> {
	const found = await realpath(path).catch(() => undefined);
	const parent = dirname(path);
	return found ?? (parent === path ? path : resolve(await physical(parent), basename(path)));
}

/** Returns what changes with the content of a file, and with the entries of a folder. */
async function stampOf(path: string): Promise<string> {
	const stats = await lstat(path, {bigint: true}).catch(() => undefined);
	return stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : 'absent';
}

async function stampsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
	return new Map(await Promise.all(paths.map(async path => [path, await stampOf(path)] as const)));
}

async function isCurrent(stamps: ReadonlyMap<string, string>): Promise<boolean> {
	const now = await stampsOf([...stamps.keys()]);
	return [...stamps].every(([path, stamp]) => now.get(path) === stamp);
}

/** Returns the beginning of a regular file; nothing of any other. */
export async function beginningOf(path: string): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	return stats?.isFile() ? (await readFile(path, 'utf8').catch(() => '')).slice(0, maxHookBytes) : '';
}
