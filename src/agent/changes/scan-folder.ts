import type {BigIntStats} from 'node:fs';
import {lstat, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../core/error.ts';
import {type Bounds, hiddenBelow} from '../policy/bounds.ts';
import {isTemporaryName} from '../tools/files/folder-handle.ts';
import {walk} from '../tools/files/walk.ts';
import type {ObjectStore} from './object-store.ts';
import {readEntry} from './read-entry.ts';
import type {Files, TreeEntry} from './tree.ts';

/** A file as it was when it was last read. `stamp` changes with its content. */
export type KnownFile = {readonly stamp: string; readonly entry: TreeEntry; readonly changedAtMs: number};
export type KnownFiles = ReadonlyMap<string, KnownFile>;

type Scan = {
	readonly folder: string;
	readonly bounds: Bounds;
	readonly store: Pick<ObjectStore, 'put'>;
	/** What an earlier scan found. Such files are read again only if their stamp changed, also if they are ignored now. */
	readonly known: KnownFiles;
	readonly signal: AbortSignal;
	/** Longest duration; 20 s by default. */
	readonly timeoutMs?: number;
	/** Returns the time of the file system, in milliseconds since the epoch. */
	readonly now?: () => number;
	/** Most bytes that are read; 1 GiB by default. */
	readonly maxBytes?: number;
};

/** Files that are read at the same time. */
const maxParallel = 16;
/** A file that was changed this shortly before it was read may change again without a new stamp. */
const unsettledMs = 2000;

/**
 * Stores the files below a folder, except ignored ones, `.git`, `node_modules` and protected places. Repositories in it are
 * plain folders. Reads only what changed since the last scan. Throws AppError("failed") if there is too much, and the reason
 * of `signal`.
 */
export async function scanFolder({
	folder,
	bounds,
	store,
	known,
	signal,
	timeoutMs = 20_000,
	maxBytes = 1024 ** 3,
	now = Date.now,
}: Scan): Promise<KnownFiles> {
	const deadline = performance.now() + timeoutMs;
	const hidden = hiddenBelow(folder, bounds);
	const isHidden = (path: string) =>
		isTemporaryName(basename(path)) || hidden.some(place => path === place || path.startsWith(`${place}/`));
	const {paths, complete} = await walk(folder, signal);
	if (!complete) {
		throw tooLarge('too many files');
	}

	const listed = new Set(paths);
	const left = [...known.keys()].filter(path => !listed.has(path));
	const waiting = [...paths, ...left].filter(path => !isHidden(path)).values();
	const found = new Map<string, KnownFile>();
	let bytesLeft = maxBytes;
	const work = async () => {
		for (const path of waiting) {
			signal.throwIfAborted();
			const file = await readChanged(path, {folder, store, known: known.get(path), isListed: listed.has(path), now});
			if (file) {
				found.set(path, file.known);
				bytesLeft -= file.bytesRead;
			}

			if (bytesLeft < 0 || performance.now() > deadline) {
				throw tooLarge(bytesLeft < 0 ? 'too many bytes' : 'it took too long');
			}
		}
	};

	await Promise.all(Array.from({length: maxParallel}, work));
	return found;
}

export function filesOf(known: KnownFiles): Files {
	return new Map([...known].map(([path, {entry}]) => [path, entry]));
}

type Reading = {
	readonly folder: string;
	readonly store: Pick<ObjectStore, 'put'>;
	readonly known: KnownFile | undefined;
	readonly isListed: boolean;
	readonly now: () => number;
};

async function readChanged(path: string, {folder, store, known, isListed, now}: Reading) {
	const place = join(folder, path);
	if (!isListed && (await realpath(dirname(place)).catch(() => '')) !== dirname(place)) {
		return undefined;
	}

	const stats = known && (await lstat(place, {bigint: true}).catch(() => undefined));
	if (known && stats && stampOf(stats) === known.stamp) {
		return {known, bytesRead: 0};
	}

	const read = await readEntry(place, store);
	if (!read) {
		return undefined;
	}

	const changedAtMs = Number(read.stats.ctimeMs);
	const isSettled = now() - changedAtMs > unsettledMs;
	// A stamp that no file has: it is read again next time.
	const stamp = isSettled ? stampOf(read.stats) : 'unsettled';
	return {known: {stamp, entry: read.entry, changedAtMs}, bytesRead: Number(read.stats.size)};
}

function stampOf({size, mtimeNs, ctimeNs, ino, mode}: BigIntStats): string {
	return `${size} ${mtimeNs} ${ctimeNs} ${ino} ${mode}`;
}

function tooLarge(why: string): AppError {
	return new AppError('failed', `This folder is too large to save before commands (${why}).`, {
		hint: 'Changes by commands can’t be undone here; those of edits can.',
	});
}
