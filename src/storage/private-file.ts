import {randomBytes} from 'node:crypto';
import {closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import {type FileHandle, lstat, open, rename, unlink} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** Flags that don't follow a symbolic link or wait for the other end of a pipe. Windows has none. */
export const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Throws AppError("failed") if a file or folder belongs to another user, who could read or change it (SAFETY 10). */
export function assertOwner(stats: Pick<Stats, 'uid'>, path: string, uid = process.getuid?.()): void {
	if (uid !== undefined && stats.uid !== uid) {
		throw new AppError('failed', `${path} belongs to another user.`, {
			hint: 'Set SERVICE_HOME to a folder of your own.',
		});
	}
}

/** Ensures that an open file is private (SAFETY 10). Throws AppError("failed") if it isn't a file or belongs to another user. */
export function assertPrivate(descriptor: number, path: string): Stats {
	const stats = fstatSync(descriptor);
	if (!stats.isFile()) {
		throw new AppError('failed', `${path} is not a file.`, {hint: 'Move it away and try again.'});
	}

	assertOwner(stats, path);
	if (process.platform !== 'win32' && stats.mode & 0o077) {
		fchmodSync(descriptor, 0o600);
	}

	return stats;
}

/**
 * Returns a whole private file as UTF-8; undefined if it doesn't exist. Synchronous, because the first frame waits for it.
 * Throws AppError("failed") for a symbolic link, another owner, an unreadable file, or one over `maxBytes`.
 */
export function readPrivateFile(path: string, maxBytes = 8 * 1024 * 1024): string | undefined {
	let descriptor: number | undefined;
	try {
		descriptor = openSync(path, constants.O_RDONLY | noFollow);
		if (assertPrivate(descriptor, path).size > maxBytes) {
			throw new AppError('failed', `${path} is unexpectedly large.`, {hint: 'Move it away and try again.'});
		}

		return readFileSync(descriptor, 'utf8');
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return undefined;
		}

		throw explainFileError(error, 'read', path);
	} finally {
		if (descriptor !== undefined) {
			closeSync(descriptor);
		}
	}
}

/** The names of temporary files, by which a later start finds those of killed processes. */
export const temporaryName = /^\..+\.\d+\.[\da-f]{12}\.tmp$/;

/**
 * Replaces a file as a whole: a reader sees the old content or the new one, even after a power cut. Writes a temporary file in
 * the same folder with mode 0600, syncs it, renames it, and syncs the folder (SAFETY 10). A file that can't be replaced, such as
 * a mount point, is written in place, after a copy. Throws AppError("failed").
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
	await assertNoLink(path);
	const random = randomBytes(6).toString('hex');
	const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${random}.tmp`);
	try {
		const file = await open(temporary, 'wx', 0o600);
		try {
			await file.writeFile(content);
			await syncIfSupported(file);
		} finally {
			await file.close();
		}

		await rename(temporary, path);
		await syncFolder(dirname(path));
	} catch (error) {
		await unlink(temporary).catch(() => undefined);
		if (!(await isWrittenInPlace(path, content, error))) {
			throw explainFileError(error, 'write', path);
		}
	}
}

/** Writes a file that can't be replaced. Returns false if there is none, or the error is another one. */
async function isWrittenInPlace(path: string, content: string | Uint8Array, why: unknown): Promise<boolean> {
	const {isUnreplaceable, writeInPlace} = await import('./in-place.ts');
	try {
		await (isUnreplaceable(why) && writeInPlace(path, content));
		return isUnreplaceable(why);
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return false;
		}

		throw explainFileError(error, 'write', path);
	}
}

/** Syncs an open file or folder, where its file system can. */
async function syncIfSupported(file: FileHandle): Promise<void> {
	await file.sync().catch(async error => (await import('./in-place.ts')).passUnsupported(error));
}

/** Throws AppError("failed") if `path` is a symbolic link. It need not exist. */
export async function assertNoLink(path: string): Promise<void> {
	const stats = await lstat(path).catch(() => undefined);
	if (stats?.isSymbolicLink()) {
		throw new AppError('failed', `${path} is a symbolic link.`, {hint: 'Replace the link with the file itself.'});
	}
}

/** Syncs a folder, so that a rename or a new file in it survives a power cut. Windows does it by itself. */
export async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') {
		return;
	}

	const folder = await open(path, 'r');
	try {
		await syncIfSupported(folder);
	} finally {
		await folder.close();
	}
}
