import {createHash} from 'node:crypto';
import type {BigIntStats} from 'node:fs';
import {lstat, readFile, readlink, realpath, stat} from 'node:fs/promises';
import {basename, join, relative} from 'node:path';
import {type GitOrders, hookNames} from '../obeyed/git-orders.ts';
import {isWithin} from '../paths/existing.ts';
import {chosenOnce, type FolderSearch, listFolder} from '../paths/search-folder.ts';
import {mayStart, type SelfStarting, selfStarting} from '../policy/self-starting-files.ts';

/** What the files of a folder that run by themselves have in them, by path relative to the folder. */
export type Starts = ReadonlyMap<string, string>;

type Orders = Pick<GitOrders, 'called' | 'words' | 'isComplete'>;

const maxFiles = 5000;
const maxAtOnce = 32;
/** A larger file counts as changed when its time is. */
const maxReadBytes = 256 * 1024;

/** Digests of contents by path, each with the stamp of the file that it was made of. */
const digests = new Map<string, {readonly stamp: string; readonly digest: string}>();
const maxDigests = 10_000;

/** Reads the files of a folder that other programs run by themselves, also ignored ones, and those that hooks of git call. */
export async function startsIn(workspace: string, orders: Orders, listing?: FolderSearch): Promise<Starts> {
	const startOf = createLookup(workspace, orders);
	const list = listing ?? (await listFolder(workspace));
	const {starts, hooks} = namedStarts(list, workspace);
	const paths = [...new Set([...starts, ...(orders.isComplete ? [] : hooks), ...calledBelow(workspace, orders)])];
	const found = new Map<string, string>();
	const waiting = paths.slice(0, maxFiles).values();
	const add = async (path: string, part: SelfStarting['part']) => {
		const digest = await digestOf(join(workspace, path), part, orders.words);
		if (digest !== undefined) {
			found.set(path, digest);
		}
	};
	const work = async () => {
		for (const path of waiting) {
			await add(path, startOf(path)?.part);
			for (const file of await behindLink(path, workspace, list)) {
				await add(file, startOf(file)?.part);
			}
		}
	};
	await Promise.all(Array.from({length: maxAtOnce}, work));
	if (digests.size > maxDigests) {
		digests.clear();
	}

	return found;
}

/**
 * Returns what to tell about files that a command wrote and that another program runs by itself: a sentence for each
 * program.
 */
export function describeWritten(before: Starts, after: Starts, workspace: string, orders: Orders): readonly string[] {
	const startOf = createLookup(workspace, orders);
	const groups = new Map<string, string[]>();
	for (const [path, digest] of after) {
		const start = before.get(path) === digest ? undefined : startOf(path);
		if (start) {
			const end = `which ${start.program} runs ${start.when}`;
			groups.set(end, [...(groups.get(end) ?? []), path]);
		}
	}

	return [...groups].map(([end, paths]) => `wrote ${listOf(paths.toSorted())}, ${end}`);
}

const maxNamed = 4;

function listOf(paths: readonly string[]): string {
	const named = paths.length > maxNamed ? paths.slice(0, maxNamed - 1) : paths;
	const left = paths.length - named.length;
	return [...named, ...(left > 0 ? [`${left} more`] : [])].join(', ').replace(/, ([^,]*)$/, ' and $1');
}

type Lookup = (path: string) => Pick<SelfStarting, 'program' | 'when' | 'part'> | undefined;

const hook = {program: 'a hook of git', when: 'with your next command'};

/** Creates what says who runs a file of the folder by itself. */
function createLookup(workspace: string, orders: Orders): Lookup {
	const called = new Set(calledBelow(workspace, orders));
	return path => {
		const isHook = called.has(path) || (!orders.isComplete && hookNames.has(basename(path).toLowerCase()));
		return selfStarting(path) ?? (isHook ? hook : undefined);
	};
}

function calledBelow(workspace: string, {called}: Orders): readonly string[] {
	return [...called].flatMap(path =>
		path !== workspace && isWithin(path, workspace) ? [relative(workspace, path)] : [],
	);
}

/** Returns the paths, relative to the folder, that may be such files, without those in packages but their programs. */
const namedStarts = chosenOnce((paths, workspace) => {
	const shown = paths.map(path => path.slice(workspace.length + 1)).filter(path => !isPackaged(path));
	return {
		starts: shown.filter(path => mayStart(`./${path}`) && selfStarting(path)),
		hooks: shown.filter(path => hookNames.has(basename(path).toLowerCase())),
	};
});

function isPackaged(path: string): boolean {
	const [, inside] = /(?:^|\/)node_modules\/(.*)$/s.exec(path) ?? [];
	return inside !== undefined && !/^\.bin\/[^/]+$/.test(inside);
}

/** Returns the paths behind a link to another folder of the working folder, as they are through the link. */
async function behindLink(path: string, workspace: string, {paths}: FolderSearch): Promise<readonly string[]> {
	const link = join(workspace, path);
	const isLink = (await lstat(link).catch(() => undefined))?.isSymbolicLink() === true;
	const real = isLink ? await realpath(link).catch(() => undefined) : undefined;
	return real === undefined || real === workspace || !isWithin(real, workspace)
		? []
		: paths
				.filter(each => each.startsWith(`${real}/`))
				.slice(0, maxFiles)
				.map(each => `${path}${each.slice(real.length)}`);
}

/** Returns what tells the content of a file, or of the part that counts, from another; undefined if there is none. */
async function digestOf(
	path: string,
	part: SelfStarting['part'],
	called: ReadonlySet<string>,
): Promise<string | undefined> {
	const stats = await lstat(path, {bigint: true}).catch(() => undefined);
	if (!stats || stats.isDirectory()) {
		return undefined;
	}

	// What a link leads to runs, wherever that is.
	const target = stats.isSymbolicLink() ? await stat(path, {bigint: true}).catch(() => undefined) : stats;
	const stamp = [stats, ...(target && target !== stats ? [target] : [])].map(stampOf).join(' ');
	const known = digests.get(path);
	if (known?.stamp === stamp) {
		return known.digest;
	}

	const link = stats.isSymbolicLink() ? await readlink(path).catch(() => '') : '';
	const text =
		target === undefined || target.isDirectory()
			? ''
			: target.isFile() && target.size <= maxReadBytes
				? await readFile(path, 'utf8').catch(() => '')
				: stamp;
	const digest = createHash('sha256')
		.update(`${link}\0`)
		.update(part ? part(text, called) : text)
		.digest('base64');
	digests.set(path, {stamp, digest});
	return digest;
}

function stampOf({ino, size, mtimeNs, ctimeNs}: BigIntStats): string {
	return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
