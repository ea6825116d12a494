import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {unlink} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import * as z from 'zod/mini';
import {AppError, reportError} from '../../core/error.ts';
import {type PackedChange, packedChange} from '../../core/packed-changes.ts';
import {homeAt} from '../../storage/home.ts';
import {tryLock} from '../../storage/lock.ts';
import {replaceFile} from '../../storage/private-file.ts';
import {makePrivateFolder} from '../../storage/private-folder.ts';
import {readEntry} from '../changes/read-entry.ts';
import {type ContentStore, restoreFile} from '../changes/restore-file.ts';
import {fileEntry, type TreeEntry} from '../changes/tree.ts';
import {pathsText} from '../paths/path-text.ts';
import {writeBoundsOf} from '../policy/bounds.ts';
import {readOnlyEnvironment, withGitSetting} from '../policy/command/git/git-environment.ts';
import {isBehindLink, readChange} from './packed-changes.ts';
import {modesOf, runGit} from './repository.ts';

const begunChanges = z.object({
	/** The folder of the clone's working tree. */
	top: z.string(),
	/** What was checked out before; '' for no branch. */
	before: z.object({commit: z.string(), branch: z.string()}),
	/** The commit that the changes are relative to. */
	commit: z.string(),
	/** What each file is to become, as `hashOfChange` has it. */
	files: z.array(z.object({path: z.string(), hash: z.string()})),
	/** The name that each file has until it is whole. */
	temporary: z.string(),
	/** The changes of its own that the clone had, which are put away first. */
	own: z.array(packedChange),
});

/** What a clone was before a hand-over changed it, and what each file is to become. */
export type BegunChanges = z.infer<typeof begunChanges>;

/** Returns what a file is recognized by: its kind and content. Some file systems keep no permissions. */
export function hashOfChange({kind, content = ''}: Omit<PackedChange, 'path'>): string {
	return createHash('sha256')
		.update(JSON.stringify([kind, content]))
		.digest('hex');
}

/** A note of changes that are about to be made: the next start puts them back if this process is killed. */
export type BegunNote = {
	/** Puts everything back, and removes the note. Throws AppError("failed") if not all could be; then it stays for the next start. */
	readonly undo: () => Promise<void>;
	/** Removes the note: the changes stay. Never throws; what it can't remove, the next start does. */
	readonly keep: () => Promise<void>;
};

/** Keeps a note before the first change. Throws AppError("conflict") while another process changes files for the same session. */
export async function keepBegun(stateFolder: string, key: string, begun: BegunChanges): Promise<BegunNote> {
	const folder = homeAt(stateFolder).begun;
	makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
	const lock = tryLock(lockOf(folder, key));
	if (!('release' in lock)) {
		throw new AppError('conflict', `Process ${lock.pid} receives this session.`, {hint: 'Wait until it is done.'});
	}

	const place = join(folder, `${key}.json`);
	await replaceFile(place, JSON.stringify(begun));
	const settle = async (run: () => Promise<void>) => {
		try {
			await run();
			await unlink(place);
		} finally {
			lock.release();
		}
	};
	return {
		undo: () =>
			settle(async () => {
				const {left, isElsewhere} = await putBack(begun, stateFolder).catch((cause: unknown) => {
					throw notPutBack(begun, reportError(cause).message, cause);
				});
				if (left.length > 0 || isElsewhere) {
					throw notPutBack(begun, `${isElsewhere ? 'the commit' : pathsText(left, maxNames)} changed meanwhile.`);
				}
			}),
		keep: () => settle(async () => undefined).catch(() => undefined),
	};
}

function notPutBack({top}: BegunChanges, why: string, cause?: unknown): AppError {
	return new AppError('failed', `Not all that was changed in ${top} could be put back: ${why}`, {
		hint: `See what is left: git -C ${top} status`,
		cause,
	});
}

/** Returns the lock of a note. */
const lockOf = (folder: string, key: string) => join(folder, `${key}.lock`);

/**
 * Puts back what processes that were killed have changed in clones, unless the session has arrived there. Returns a sentence for each
 * clone. Never throws.
 */
export async function putBackBegun(
	stateFolder: string,
	hasSession: (key: string) => Promise<boolean>,
): Promise<readonly string[]> {
	const folder = homeAt(stateFolder).begun;
	const sentences: string[] = [];
	for (const name of existsSync(folder) ? readdirSync(folder) : []) {
		const key = basename(name, '.json');
		const lock = name.endsWith('.json') ? tryLock(lockOf(folder, key)) : undefined;
		if (!lock || !('release' in lock)) {
			continue;
		}

		try {
			const begun = readBegun(join(folder, name));
			if (begun && existsSync(begun.top) && !(await hasSession(key))) {
				sentences.push(sentenceOf(begun, await putBack(begun, stateFolder)));
			}

			await unlink(join(folder, name));
		} catch (error) {
			const {message} = reportError(error);
			sentences.push(`A hand-over was cut off, and what it changed couldn’t be put back: ${message}`);
		} finally {
			lock.release();
		}
	}

	return sentences;
}

function readBegun(path: string): BegunChanges | undefined {
	try {
		return begunChanges.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
	} catch {
		return undefined;
	}
}

function sentenceOf({top}: BegunChanges, {left, isElsewhere}: PutBack): string {
	const cutOff = `A hand-over to ${top} was cut off.`;
	if (isElsewhere) {
		return `${cutOff} Another commit is checked out there by now, so nothing was put back.`;
	}

	return left.length > 0
		? `${cutOff} It was put back but for ${pathsText(left, maxNames)}, which changed since.`
		: `${cutOff} What it had changed was put back.`;
}

/** Most names in a sentence. */
const maxNames = 3;

/** The files that somebody else changed meanwhile, or that somebody checked another commit out: both stay. */
type PutBack = {readonly left: readonly string[]; readonly isElsewhere: boolean};

/**
 * Restores a clone: files that are as the hand-over writes them become those of the commit again, then its commit is
 * checked out, and its own changes come back. Throws what git and the file system throw.
 */
async function putBack(begun: BegunChanges, stateFolder: string): Promise<PutBack> {
	const {top, before, commit, files, own, temporary} = begun;
	for (const folder of new Set([...files, ...own].map(({path}) => dirname(path)))) {
		const path = join(folder, temporary);
		await ((await isBehindLink(top, path)) ? undefined : unlink(join(top, path)).catch(() => undefined));
	}

	const head = (await runGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD'])).trim();
	if (head !== commit && head !== before.commit) {
		return {left: [], isElsewhere: true};
	}

	// Files are written once the commit is checked out, and its own were put away before.
	const left = await resetFiles(top, head, [...(head === commit ? files : []), ...filesOf(own)], stateFolder);
	if (left.length === 0) {
		await (head === before.commit ? undefined : checkOut(top, before.branch || before.commit, before.commit));
		await writeChanges(top, own, {temporary, stateFolder});
	}

	return {left, isElsewhere: false};
}

/** Checks a commit out, on its branch if `target` is one. */
export async function checkOut(top: string, target: string, commit: string): Promise<void> {
	await runGit(top, target === commit ? ['switch', '--quiet', '--detach', commit] : ['switch', '--quiet', target]);
}

/** Returns what each file becomes. */
export function filesOf(changes: readonly PackedChange[]): BegunChanges['files'] {
	return changes.map(change => ({path: change.path, hash: hashOfChange(change)}));
}

/**
 * Restores files of the commit that is checked out, if they are as `files` has them. Returns the paths of those that are neither,
 * which stay.
 */
export async function resetFiles(
	top: string,
	commit: string,
	files: BegunChanges['files'],
	stateFolder: string,
): Promise<readonly string[]> {
	if (files.length === 0) {
		return [];
	}

	const bounds = await writeBoundsOf(top, {stateFolder});
	const known = new Map<string, Set<string>>();
	for (const {path, hash} of files) {
		known.set(path, (known.get(path) ?? new Set()).add(hash));
	}

	const written: string[] = [];
	const others: string[] = [];
	for (const [path, hashes] of known) {
		const now = await readChange(top, path);
		(now && hashes.has(hashOfChange(now)) ? written : others).push(path);
	}

	const literal = (paths: readonly string[]) => paths.map(path => `:(literal)${path}`);
	// Where git can't write its index, this throws before anything changed.
	await (written.length > 0 ? runGit(top, ['reset', '--quiet', '--', ...literal(written)]) : undefined);
	const modes = await modesOf(top, commit);
	const store = contentsOf([]);
	// A file of the commit is never gone in between: the next start couldn't tell who deleted it.
	for (const path of written.filter(each => !modes.has(each))) {
		const current = (await isBehindLink(top, path)) ? undefined : (await readEntry(join(top, path), store))?.entry;
		if (current) {
			await restoreFile({path, current, wanted: undefined}, store, bounds);
		}
	}

	const committed = literal(written.filter(path => modes.has(path)));
	if (committed.length > 0) {
		const args = ['restore', '--quiet', `--source=${commit}`, '--worktree', '--', ...committed];
		// Permissions come back where the repository tells git not to look at them.
		await runGit(top, args, withGitSetting(readOnlyEnvironment, 'core.fileMode', 'true'));
	}

	return changedOf(top, others);
}

/** Returns those paths that aren't as they are committed. */
async function changedOf(top: string, paths: readonly string[]): Promise<readonly string[]> {
	if (paths.length === 0) {
		return [];
	}

	const rows = await runGit(top, ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);
	const changed = new Set(rows.split('\0').map(row => row.slice(3)));
	return paths.filter(path => changed.has(path));
}

type Writing = {
	/** The name that each file has until it is whole. */
	readonly temporary: string;
	readonly stateFolder: string;
};

/** Writes changes into a working tree, each file as a whole; those that are there already stay. Throws what `restoreFile` throws. */
export async function writeChanges(
	top: string,
	changes: readonly PackedChange[],
	{temporary, stateFolder}: Writing,
): Promise<void> {
	const bounds = await writeBoundsOf(top, {stateFolder});
	const store = contentsOf(changes.map(({content = ''}) => Buffer.from(content, 'base64')));
	// What is deleted makes room first.
	const ordered = [...changes].sort(
		(one, other) => Number(one.kind !== 'gone') - Number(other.kind !== 'gone') || other.path.length - one.path.length,
	);
	for (const change of ordered) {
		const {path} = change;
		const now = await readChange(top, path);
		if (now && hashOfChange(now) === hashOfChange(change) && now.permissions === change.permissions) {
			continue;
		}

		const current = (await readEntry(join(top, path), store))?.entry;
		const wanted = await entryOf(change, store);
		await restoreFile({path, current, wanted, temporary}, store, bounds);
	}
}

async function entryOf(
	{kind, permissions = 0o644, content = ''}: PackedChange,
	store: ContentStore,
): Promise<TreeEntry | undefined> {
	if (kind === 'gone') {
		return undefined;
	}

	const bytes = Buffer.from(content, 'base64');
	const id = await store.put('blob', bytes);
	return kind === 'link' ? {mode: 'link', id} : fileEntry(id, permissions & 0o777);
}

/** Returns a store that has only these contents, in memory: files whose names suggest secrets are kept nowhere else. */
function contentsOf(contents: readonly Buffer[]): ContentStore {
	const idOf = (type: string, content: Buffer) =>
		createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
	const known = new Map(contents.map(content => [idOf('blob', content), content]));
	return {
		put: async (type, content) => idOf(type, content),
		async get(_, id) {
			const content = known.get(id);
			if (!content) {
				throw new AppError('not-found', 'That content is not kept.');
			}

			return content;
		},
	};
}
