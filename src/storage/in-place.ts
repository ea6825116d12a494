import {createHash, randomInt} from 'node:crypto';
import {constants, type Stats} from 'node:fs';
import {type FileHandle, lstat, open, unlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../core/error.ts';
import {errnoOf} from './file-error.ts';

/** Errors of a rename, or of a new file beside the old one, that say nothing about the old file itself. */
const unreplaceable = new Set<string | undefined>(['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS', 'ETXTBSY']);
/** File systems such as SMB and some of NFS and FUSE can't sync or change modes, and say so with one of these. */
const unsupported = new Set<string | undefined>(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EACCES']);

/**
 * Returns true if a file can't be replaced by another one, though it may be written itself: it is a mount point, as
 * containers mount single files, its folder can't be written, or its owner can't be kept.
 */
export function isUnreplaceable(error: unknown): boolean {
	return unreplaceable.has(errnoOf(error));
}

/**
 * Writes a file that exists and can't be replaced (SAFETY 10): first a copy of its old content, which only the user can read,
 * beside it or in the folder for temporary files, then the new content in the file itself. If that fails, the old content is
 * written back; if even that fails, the copy stays and the error names it. A file with other names (hard links) is refused:
 * it would change there, too. `real` is its path for the user. Throws the error of the file system, and AppError("failed").
 */
export async function writeInPlace(path: string, content: string | Uint8Array, real = path): Promise<void> {
	const stats = await lstat(path);
	if (!stats.isFile()) {
		throw Object.assign(new Error('not a file'), {code: stats.isSymbolicLink() ? 'ELOOP' : 'EISDIR'});
	}

	const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
	try {
		if ((await file.stat()).nlink > 1) {
			throw new AppError(
				'failed',
				`${real} has other names (hard links), and can't be replaced. Nothing was written.`,
				{
					hint: 'Remove its other names, or let its folder be written.',
				},
			);
		}

		const before = await file.readFile();
		const copy = await writeCopy([dirname(path), tmpdir()], copyName(real), before);
		try {
			await overwrite(file, Buffer.from(content));
		} catch (error) {
			const place = dirname(copy) === dirname(path) ? join(dirname(real), basename(copy)) : copy;
			await restore(file, before, {path: real, copy, place, error});
			throw error;
		}

		await unlink(copy).catch(() => undefined);
	} finally {
		await file.close();
	}
}

/** Keeps owner and group of a file in the new one that replaces it. Throws EPERM if we may not: then it must be written in place. */
export async function keepOwner(file: FileHandle, {uid, gid}: Pick<Stats, 'uid' | 'gid'>): Promise<void> {
	const own = await file.stat();
	if (own.uid !== uid || own.gid !== gid) {
		await file.chown(uid, gid).catch((cause: unknown) => {
			throw Object.assign(new Error('owner not kept', {cause}), {code: 'EPERM'});
		});
	}
}

/** Syncs an open file or folder, where its file system can. */
export async function syncIfSupported(file: FileHandle): Promise<void> {
	await ifSupported(() => file.sync());
}

/** Runs a change of a file's state that some file systems don't know. */
export async function ifSupported(change: () => Promise<unknown>): Promise<void> {
	await change().catch(passUnsupported);
}

/** Throws an error again unless it says that the file system doesn't know such a change. */
export function passUnsupported(error: unknown): void {
	if (!unsupported.has(errnoOf(error))) {
		throw error;
	}
}

/** Returns the lock of a file whose folder can't be written: in the folder for temporary files. */
export function lockElsewhere(path: string): string {
	return join(tmpdir(), `service-${createHash('sha256').update(path).digest('hex').slice(0, 24)}.lock`);
}

/** Returns a name for a copy of a file: that of the file, so that a copy of secrets is known as one, and is swept by no start. */
export function copyName(path: string): string {
	return `${basename(path)}.${randomInt(2 ** 47)}.old`;
}

async function writeCopy(folders: readonly string[], name: string, content: Buffer): Promise<string> {
	let failure: unknown;
	for (const folder of folders) {
		const copy = join(folder, name);
		try {
			const file = await open(copy, 'wx', 0o600);
			try {
				await file.writeFile(content);
				await syncIfSupported(file);
			} finally {
				await file.close();
			}

			return copy;
		} catch (error) {
			failure = error;
			await unlink(copy).catch(() => undefined);
		}
	}

	throw failure;
}

async function overwrite(file: FileHandle, content: Buffer): Promise<void> {
	for (let at = 0; at < content.length; ) {
		const {bytesWritten} = await file.write(content, at, content.length - at, at);
		at += bytesWritten;
	}

	await file.truncate(content.length);
	await syncIfSupported(file);
}

/** `path` and `place` name the file and its copy for the user. */
type Failed = {readonly path: string; readonly copy: string; readonly place: string; readonly error: unknown};

async function restore(file: FileHandle, before: Buffer, {path, copy, place, error}: Failed): Promise<void> {
	try {
		await overwrite(file, before);
		await unlink(copy).catch(() => undefined);
	} catch {
		throw new AppError('failed', `Writing ${path} failed halfway (${errnoOf(error) ?? 'unknown'}).`, {
			hint: `Its old content is in ${place}. Copy it back.`,
			cause: error,
		});
	}
}
