import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {lstat, readdir, readFile, readlink} from 'node:fs/promises';
import {basename, join, relative} from 'node:path';
import {mayStart, type SelfStarting, selfStarting} from '../policy/self-starting-files.ts';
import {firstIn, foldersOutside} from '../tools/child/find-program.ts';
import {isWithin} from './existing.ts';
import {type GitOrders, hookNames} from './git-orders.ts';

/** What the files of a folder that run by themselves have in them, by path relative to the folder. */
export type Starts = ReadonlyMap<string, string>;

type Orders = Pick<GitOrders, 'called' | 'words' | 'isComplete'>;

const searchTimeoutMs = 2000;
const maxListBytes = 32 * 1024 * 1024;
const maxFiles = 5000;
const maxAtOnce = 32;
/** A larger file counts as changed when its time is. */
const maxReadBytes = 256 * 1024;

/** Digests of contents by path, each with the stamp of the file that it was made of. */
const digests = new Map<string, {readonly stamp: string; readonly digest: string}>();
const maxDigests = 10_000;

/** Reads the files of a folder that other programs run by themselves, also ignored ones, and those that hooks of git call. */
export async function startsIn(workspace: string, orders: Orders): Promise<Starts> {
	const startOf = createLookup(workspace, orders);
	const listed = await search(workspace, orders.isComplete ? new Set() : hookNames);
	const links = listed.filter(path => basename(path) === 'node_modules').map(path => `${path}/.bin`);
	const programs = await Promise.all(
		links.map(async folder =>
			(await readdir(join(workspace, folder)).catch(() => [])).map(name => `${folder}/${name}`),
		),
	);
	const paths = [...new Set([...listed, ...programs.flat(), ...calledBelow(workspace, orders)])].filter(startOf);
	const found = new Map<string, string>();
	const waiting = paths.slice(0, maxFiles).values();
	const work = async () => {
		for (const path of waiting) {
			const digest = await digestOf(join(workspace, path), startOf(path)?.part, orders.words);
			if (digest !== undefined) {
				found.set(path, digest);
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

/** Lists what may be such a file, and folders of packages. To look at every name here is faster than to have `find` do it. */
function search(workspace: string, more: ReadonlySet<string>): Promise<readonly string[]> {
	const program = firstIn(foldersOutside(workspace, process.env), 'find') ?? '/usr/bin/find';
	const skipped = ['-name', '.git', '-prune', '-o', '-name', 'node_modules', '-print0', '-prune', '-o'];
	const options = {cwd: workspace, timeout: searchTimeoutMs, maxBuffer: maxListBytes, env: {LC_ALL: 'C'}};
	return new Promise(resolve => {
		execFile(program, ['.', '-xdev', ...skipped, '-print0'], options, (_, stdout) => {
			const paths = stdout.split('\0').filter(path => mayStart(path) || more.has(basename(path).toLowerCase()));
			resolve(paths.map(path => path.slice('./'.length)));
		});
	});
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

	const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
	const known = digests.get(path);
	if (known?.stamp === stamp) {
		return known.digest;
	}

	const text = stats.isSymbolicLink()
		? await readlink(path).catch(() => '')
		: stats.isFile() && stats.size <= maxReadBytes
			? await readFile(path, 'utf8').catch(() => '')
			: stamp;
	const digest = createHash('sha256')
		.update(part ? part(text, called) : text)
		.digest('base64');
	digests.set(path, {stamp, digest});
	return digest;
}
