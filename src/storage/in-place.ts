import {createHash, randomBytes} from 'node:crypto';
import {constants} from 'node:fs';
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
 * containers mount single files, or its folder can't be written.
 */
export function isUnreplaceable(error: unknown): boolean {
	return unreplaceable.has(errnoOf(error));
}

/**
 * Writes a file that exists and can't be replaced (SAFETY 10): first a copy of its old content, which only the user can read,
 * beside it or in the folder for temporary files, then the new content in the file itself. If that fails, the old content is
 * written back; if even that fails, the copy stays and the error names it. Throws the error of the file system, and
 * AppError("failed") with the place of the copy.
 */
export async function writeInPlace(path: string, content: string | Uint8Array): Promise<void> {
	const stats = await lstat(path);
	if (!stats.isFile()) {
		throw Object.assign(new Error('not a file'), {code: stats.isSymbolicLink() ? 'ELOOP' : 'EISDIR'});
	}

	const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
	try {
		const before = await file.readFile();
		const copy = await writeCopy(path, before);
		try {
			await overwrite(file, Buffer.from(content));
		} catch (error) {
			await restore(file, before, {path, copy, error});
			throw error;
		}

		await unlink(copy).catch(() => undefined);
	} finally {
		await file.close();
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

async function writeCopy(path: string, content: Buffer): Promise<string> {
	const name = `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
	let failure: unknown;
	for (const folder of [dirname(path), tmpdir()]) {
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

type Failed = {readonly path: string; readonly copy: string; readonly error: unknown};

async function restore(file: FileHandle, before: Buffer, {path, copy, error}: Failed): Promise<void> {
	try {
		await overwrite(file, before);
		await unlink(copy).catch(() => undefined);
	} catch {
		throw new AppError('failed', `Writing ${path} failed halfway (${errnoOf(error) ?? 'unknown'}).`, {
			hint: `Its old content is in ${copy}. Copy it back.`,
			cause: error,
		});
	}
}
