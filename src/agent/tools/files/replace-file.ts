import type {Stats} from 'node:fs';
import {access, constants, link, lstat, open, rename, unlink} from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import {AppError} from '../../../core/error.ts';
import {errnoOf} from '../../../storage/file-error.ts';
import {ifSupported, isUnreplaceable, keepOwner, syncIfSupported, writeInPlace} from '../../../storage/in-place.ts';
import {type Bounds, type Located, openLocated} from '../../policy/bounds.ts';
import {type Folder, newTemporaryName, openFolder, removeOrphans} from './folder-handle.ts';
import {readOpened} from './read-text.ts';

type Target = Located & {
	/** The hash of the content that is replaced; undefined for a new file. */
	readonly replaces: string | undefined;
};

type Replacing = {
	readonly bounds: Bounds;
	readonly signal: AbortSignal;
	/** Called when nothing is in the way any more. If it throws, nothing is written. */
	readonly beforeWrite?: () => Promise<void>;
};

/** File systems without hard links answer with one of these. */
const noLinks = new Set<string | undefined>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Writes a file as a whole: whoever reads it, also after a crash, sees the old content or the new one. Keeps the mode of
 * the file. One that can't be replaced, such as a mount point, is written in place, after a copy (SAFETY 10). Throws
 * `AppError("conflict")` if its content isn't the one that is replaced, or a new file exists by now. Returns whether the
 * file had other names (hard links), which keep the old content.
 */
export async function replaceFile(target: Target, bytes: Buffer, options: Replacing): Promise<boolean> {
	try {
		return await replaceIn(await openFolder(dirname(target.real), options.bounds), target, bytes, options);
	} catch (error) {
		throw explainReplaceError(error, target.shown);
	}
}

async function replaceIn(folder: Folder, target: Target, bytes: Buffer, {bounds, signal, beforeWrite}: Replacing) {
	const temporary = folder.pathOf(newTemporaryName());
	const path = folder.pathOf(basename(target.real));
	await removeOrphans(folder);
	try {
		const stats = target.replaces === undefined ? undefined : await writableStats(path);
		const isTemporary = await isWritten(temporary, bytes, stats);
		await folder.check();
		signal.throwIfAborted();
		if (target.replaces === undefined) {
			await assertFree(path);
			await beforeWrite?.();
			await create(temporary, path);
		} else {
			await assertUnchanged(target, bounds, signal);
			await beforeWrite?.();
			await (isTemporary
				? renameOrOverwrite(temporary, path, bytes, target.real)
				: writeInPlace(path, bytes, target.real));
		}

		await ifSupported(folder.sync);
		return (stats?.nlink ?? 1) > 1;
	} finally {
		await unlink(temporary).catch(() => undefined);
		await folder.close();
	}
}

async function writableStats(path: string): Promise<Stats> {
	await access(path, constants.W_OK);
	return lstat(path);
}

/** Writes the temporary file. Returns false if its folder takes none, or not as its owner's, but the file that it would replace is there. */
async function isWritten(temporary: string, bytes: Buffer, stats: Stats | undefined): Promise<boolean> {
	try {
		await writeTemporary(temporary, bytes, stats);
		return true;
	} catch (error) {
		if (!stats || !isUnreplaceable(error)) {
			throw error;
		}

		return false;
	}
}

async function renameOrOverwrite(temporary: string, path: string, bytes: Buffer, real: string): Promise<void> {
	try {
		await rename(temporary, path);
	} catch (error) {
		if (!isUnreplaceable(error)) {
			throw error;
		}

		await writeInPlace(path, bytes, real);
	}
}

async function writeTemporary(path: string, bytes: Buffer, stats: Stats | undefined): Promise<void> {
	const file = await open(path, 'wx', stats ? 0o600 : 0o666);
	try {
		await file.writeFile(bytes);
		if (stats) {
			await keepOwner(file, stats);
			await ifSupported(() => file.chmod(stats.mode & 0o777));
		}

		await syncIfSupported(file);
	} finally {
		await file.close();
	}
}

/** Throws what `link` throws if there is anything at a path. */
async function assertFree(path: string): Promise<void> {
	if (await lstat(path).catch(() => undefined)) {
		throw Object.assign(new Error('file already exists'), {code: 'EEXIST'});
	}
}

/** Names the new file, unless the name is in use. */
async function create(temporary: string, path: string): Promise<void> {
	try {
		await link(temporary, path);
	} catch (error) {
		if (!noLinks.has(errnoOf(error))) {
			throw error;
		}

		// Reserves the name, which the rename then replaces.
		await (await open(path, 'wx')).close();
		await rename(temporary, path);
	}
}

async function assertUnchanged(target: Target, bounds: Bounds, signal: AbortSignal): Promise<void> {
	const {hash} = await readOpened(await openLocated(target, bounds), signal);
	if (hash !== target.replaces) {
		throw new AppError('conflict', `“${target.shown}” was changed meanwhile. Nothing was written.`, {
			hint: 'Read it again, then repeat the change.',
		});
	}
}

/** Explains why a file was not replaced, with the path as the model knows it. */
function explainReplaceError(error: unknown, shown: string): unknown {
	const code = errnoOf(error);
	switch (code) {
		case undefined:
			return error;
		case 'EEXIST':
			return new AppError('conflict', `“${shown}” exists by now. Nothing was written.`, {hint: 'Read it first.'});
		case 'ELOOP':
		case 'ENOTDIR':
			return new AppError('failed', `A folder of “${shown}” is a link or a file. Nothing was written.`);
		case 'EACCES':
		case 'EPERM':
		case 'EROFS':
			return new AppError('failed', `“${shown}” is write-protected (${code}). Nothing was written.`, {
				hint: 'Ask the user to make it writable first.',
			});
		case 'EBUSY':
		case 'EXDEV':
		case 'ETXTBSY':
			return new AppError('failed', `“${shown}” is a mount point, or in use (${code}). Nothing was written.`);
		case 'ENOSPC':
		case 'EDQUOT':
			return new AppError('failed', `Couldn't write “${shown}”: the disk is full (${code}). Nothing was written.`);
		default:
			return new AppError('failed', `Couldn't write “${shown}”: ${code}.`, {cause: error});
	}
}
