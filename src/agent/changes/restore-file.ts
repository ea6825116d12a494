import {link, lstat, open, rename, rmdir, symlink, unlink} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../core/error.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {isUnreplaceable, keepOwner, writeInPlace} from '../../storage/in-place.ts';
import {assertVisible, type Bounds} from '../policy/bounds.ts';
import {type Folder, newTemporaryName, openFolder} from '../tools/files/folder-handle.ts';
import type {ObjectStore} from './object-store.ts';
import {readEntry} from './read-entry.ts';
import {isSameEntry, permissionsOf, type TreeEntry} from './tree.ts';

/** A file, and what it should be. */
export type FileRestore = {
	/** Relative to the folder, with `/`. */
	readonly path: string;
	/** What is there now; undefined if nothing is. */
	readonly current: TreeEntry | undefined;
	/** What to put there; undefined to delete the file. */
	readonly wanted: TreeEntry | undefined;
	/** The name of the file until it is whole; a new one without it. */
	readonly temporary?: string;
};

/** Where contents are, by their ids. */
export type ContentStore = Pick<ObjectStore, 'put' | 'get'>;

/**
 * Restores a file as a whole: whoever reads it, also after a crash, sees one content or the other. One that can't be replaced,
 * such as a mount point, is written in place, after a copy (SAFETY 10). Creates missing folders, never goes through a link, and
 * removes folders that it empties. Throws `AppError("conflict")` if the file isn't `current`
 * any more, `AppError("failed")` if it can't be written; then nothing was changed.
 */
export async function restoreFile(restore: FileRestore, store: ContentStore, bounds: Bounds): Promise<void> {
	const {path, wanted} = restore;
	const real = join(bounds.workspace, path);
	assertVisible(real, path, bounds);
	try {
		const folder = await openFolder(dirname(real), bounds);
		try {
			await restoreIn(folder, real, restore, store);
			await folder.sync();
		} finally {
			await folder.close();
		}
	} catch (error) {
		const code = errnoOf(error);
		throw code === undefined ? error : new AppError('failed', `Couldn't restore ${path}: ${code}.`, {cause: error});
	}

	if (!wanted) {
		await removeEmptyFolders(dirname(real), bounds.workspace);
	}
}

async function restoreIn(
	folder: Folder,
	real: string,
	{path, current, wanted, temporary: name = newTemporaryName()}: FileRestore,
	store: ContentStore,
): Promise<void> {
	const place = folder.pathOf(basename(real));
	const temporary = folder.pathOf(name);
	const assertCurrent = async () => {
		await folder.check();
		const now = await readEntry(place, store, {isSynced: true, name: real});
		const isFolder = !now && (await lstat(place).catch(() => undefined)) !== undefined;
		if (isFolder || !isSameEntry(now?.entry, current)) {
			throw new AppError('conflict', `${path} was changed meanwhile, so it was left as it is.`);
		}
	};

	if (!wanted) {
		await assertCurrent();
		await unlink(place);
		return;
	}

	try {
		await writeTemporary(temporary, place, wanted, store);
		await assertCurrent();
		await (current ? rename(temporary, place) : create(temporary, place));
	} catch (error) {
		if (!isUnreplaceable(error) || [current?.mode, wanted.mode].some(mode => !mode || mode === 'link')) {
			throw error;
		}

		await assertCurrent();
		await writeInPlace(place, await store.get('blob', wanted.id), real);
	} finally {
		await unlink(temporary).catch(() => undefined);
	}
}

async function writeTemporary(temporary: string, place: string, wanted: TreeEntry, store: ContentStore): Promise<void> {
	const content = await store.get('blob', wanted.id);
	if (wanted.mode === 'link') {
		await symlink(content, temporary);
		return;
	}

	const existing = await lstat(place).catch(() => undefined);
	// Nobody else reads it before it has its permissions.
	const file = await open(temporary, 'wx', 0o600);
	try {
		await file.writeFile(content);
		if (existing?.isFile()) {
			await keepOwner(file, existing);
		}

		await file.chmod(permissionsOf(wanted) ?? 0o600);
		await file.sync();
	} finally {
		await file.close();
	}
}

/** Names the new file. A file of that name that appeared meanwhile stays, where the file system can tell. */
async function create(temporary: string, place: string): Promise<void> {
	try {
		await link(temporary, place);
	} catch (error) {
		if (errnoOf(error) === 'EEXIST') {
			throw new AppError('conflict', `${basename(place)} exists by now, so it was left as it is.`, {cause: error});
		}

		await rename(temporary, place);
	}
}

/** Removes a folder and its parents below `root`, as long as they are empty. */
async function removeEmptyFolders(folder: string, root: string): Promise<void> {
	for (let path = folder; path !== root && path.startsWith(root); path = dirname(path)) {
		try {
			await rmdir(path);
		} catch {
			return;
		}
	}
}
