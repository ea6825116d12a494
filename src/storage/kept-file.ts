import {accessSync, constants, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../core/error.ts';
import {errnoOf} from './file-error.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';

/** How a kept file is written. */
export type FileFormat<Content> = {
	/** Reads the text; undefined if there is no file. What it throws for a damaged file keeps that from being replaced. */
	readonly parse: (text: string | undefined) => Content;
	readonly print: (content: Content) => string;
};

/**
 * Returns the new content, or the same object if nothing changes. Called with what the file holds by then, and maybe once more
 * for readers that come before it is written.
 */
export type ContentChange<Content> = (content: Content) => Content;

/** A small file that processes share. None loses a change of another (SAFETY 10, 18). */
export type KeptFile<Content> = {
	/**
	 * Returns the content with all changes that are on their way to the file. Synchronous, because frames and key presses wait
	 * for it. Throws AppError("failed") if the file can't be read, and what `parse` throws.
	 */
	readonly read: () => Content;
	/** Does the same, but a file that can't be read counts as missing. */
	readonly recall: () => Content;
	/** Resolves once a change and all earlier ones are written. Throws what `updateSmallFile` and `parse` throw. */
	readonly update: (change: ContentChange<Content>) => Promise<void>;
	/** Returns at once and writes the change later. One that can't be written is dropped. */
	readonly updateLater: (change: ContentChange<Content>) => void;
	/** Resolves once everything is written, or after `timeoutMs`; 5 seconds by default, for a process about to exit. */
	readonly settle: (timeoutMs?: number) => Promise<void>;
};

/** Longer than a home on a busy or distant disk takes, and as long as one waits for a program that ends. */
const settleTimeoutMs = 5000;

/** The changes of small files that this process has begun. */
const underway = new Set<Promise<unknown>>();

/** Returns a change of a small file, which the process waits for before it exits. */
function tracked<Value>(change: Promise<Value>): Promise<Value> {
	const ended = change.catch(() => undefined).finally(() => underway.delete(ended));
	underway.add(ended);
	return change;
}

/**
 * Resolves once every change of a small file that has begun is written or can't be, or after 5 seconds. A process that exits in
 * the middle of one would leave its lock and its temporary file behind.
 */
export async function smallFilesSettled(): Promise<void> {
	const late = sleep(settleTimeoutMs, 'late', {ref: false});
	while (underway.size > 0 && (await Promise.race([Promise.all(underway), late])) !== 'late') {
		// A change may have begun another one.
	}
}

/** Opens the file at `path`, in the state folder; it need not exist. */
export function openKeptFile<Content>(path: string, {parse, print}: FileFormat<Content>): KeptFile<Content> {
	const readFile = cacheByStamp(path, () => parse(readPrivateFile(path)));
	/** Ends with the last write, and never fails. */
	let writing: Promise<unknown> = Promise.resolve();
	/** Changes that nobody waits for and that are not written yet. */
	let pending: ReadonlyArray<ContentChange<Content>> = [];

	const write = async (change: ContentChange<Content>) => {
		await updateSmallFile(path, text => {
			const before = parse(text);
			const after = change(before);
			return after === before ? text : print(after);
		});
	};

	/** One write applies all pending changes, so that the next ones find nothing to do. */
	const writePending = async () => {
		const batch = pending;
		try {
			await (batch.length > 0 && write(content => applyAll(content, batch)));
		} finally {
			pending = pending.slice(batch.length);
		}
	};

	const enqueue = (job: () => Promise<void>) => {
		const done = tracked(writing.then(job));
		writing = done.catch(() => undefined);
		return done;
	};

	const read = () => applyAll(readFile(), pending);

	return {
		read,
		recall() {
			try {
				return read();
			} catch {
				return applyAll(parse(undefined), pending);
			}
		},
		update: change => enqueue(() => write(change)),
		updateLater(change) {
			pending = [...pending, change];
			enqueue(writePending).catch(() => undefined);
		},
		settle: (timeoutMs = settleTimeoutMs) =>
			Promise.race([writing.then(() => undefined), sleep(timeoutMs, undefined, {ref: false})]),
	};
}

function applyAll<Content>(content: Content, changes: ReadonlyArray<ContentChange<Content>>): Content {
	return changes.reduce((before, change) => change(before), content);
}

/** Puts an entry last, as the newest, and drops the oldest ones beyond `max`. */
export function withNewest<Value>(
	entries: ReadonlyMap<string, Value>,
	name: string,
	value: Value,
	max: number,
): ReadonlyMap<string, Value> {
	const others = [...entries].filter(([each]) => each !== name);
	return new Map([...others, [name, value] as const].slice(-max));
}

/** Returns the entries without one; the same object if there is none of that name. */
export function withoutEntry<Value>(entries: ReadonlyMap<string, Value>, name: string): ReadonlyMap<string, Value> {
	return entries.has(name) ? new Map([...entries].filter(([each]) => each !== name)) : entries;
}

/** Returns a function that calls `read` only if another version of a small file is there than the last time. */
export function cacheByStamp<Content>(path: string, read: () => Content): () => Content {
	let cached: {readonly stamp: string; readonly content: Content} | undefined;
	return () => {
		const stamp = stampOf(path);
		if (cached?.stamp !== stamp) {
			cached = {stamp, content: read()};
		}

		return cached.content;
	};
}

/** Returns a stamp that changes with each version of a small file, because every replacement is a new inode. */
export function stampOf(path: string): string {
	const stats = statSync(path, {throwIfNoEntry: false});
	return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : 'none';
}

/**
 * Changes a small file that processes share without losing a change: locks it, reads it again, calls `change`, and replaces
 * it as a whole (SAFETY 10, 18). Writes nothing if `change` returns undefined or the same text. Returns the new text of the
 * file. Throws AppError("conflict") if another process holds the lock, AppError("failed") for an error of the disk.
 */
export function updateSmallFile(
	path: string,
	change: (text: string | undefined) => string | undefined,
): Promise<string | undefined> {
	return tracked(changeLocked(path, change));
}

async function changeLocked(
	path: string,
	change: (text: string | undefined) => string | undefined,
): Promise<string | undefined> {
	// The first frame reads kept files, and writes none.
	const {withLock} = await import('./lock.ts');
	return withLock(await lockOf(path), async lock => {
		const before = readPrivateFile(path);
		const after = change(before);
		if (after === undefined || after === before) {
			return before;
		}

		if (!lock.isHeld()) {
			throw new AppError('conflict', `Another process changed ${path} at the same time.`, {hint: 'Try again.'});
		}

		await replaceFile(path, after);
		return after;
	});
}

/** Returns the lock of a file: beside it, or in the folder for temporary files if its own can't be written. */
async function lockOf(path: string): Promise<string> {
	try {
		accessSync(dirname(path), constants.W_OK);
	} catch (error) {
		if (/^E(?:ACCES|PERM|ROFS)$/.test(errnoOf(error) ?? '')) {
			return (await import('./in-place.ts')).lockElsewhere(path);
		}
	}

	return `${path}.lock`;
}
