import {constants} from 'node:fs';
import {open, unlink} from 'node:fs/promises';
import {dirname} from 'node:path';
import {explainFileError} from './file-error.ts';
import {assertPrivate, noFollow, syncFolder} from './private-file.ts';

/** A file that only grows. */
export type AppendFile = {
	/**
	 * Appends `bytes` in one call, and waits for the disk if `durable`, or if the file is new. Calls `onWritten` before that: then the
	 * bytes outlive this process, but not a power cut. Throws what the file system throws.
	 */
	readonly append: (bytes: Uint8Array, durable: boolean, onWritten?: () => void) => Promise<void>;
	/** Returns the bytes of complete writes; undefined for a file that is still to be created. */
	readonly size: () => number | undefined;
	readonly close: () => Promise<void>;
};

/**
 * Opens a private file for appending. Without `size` it's created, and must not exist yet. Bytes beyond `size` are of an
 * incomplete write and are cut off. Throws AppError("failed") for a symbolic link, another owner, or an error of the disk.
 */
export async function openAppendFile(path: string, size?: number): Promise<AppendFile> {
	try {
		const create = size === undefined ? constants.O_CREAT | constants.O_EXCL : 0;
		const file = await open(path, constants.O_WRONLY | constants.O_APPEND | create | noFollow, 0o600);
		try {
			const stats = assertPrivate(file.fd, path);
			let whole = size ?? 0;
			let isNew = size === undefined;
			if (stats.size > whole) {
				await file.truncate(whole);
			}

			return {
				async append(bytes, durable, onWritten) {
					try {
						await writeWhole(file, bytes);
						onWritten?.();
						await allDone([
							durable || isNew ? file.datasync() : undefined,
							isNew ? syncFolder(dirname(path)) : undefined,
						]);
					} catch (error) {
						// The next try creates it again, and must not find it.
						await (isNew && unlink(path).catch(() => undefined));
						throw error;
					}

					isNew = false;
					whole += bytes.length;
				},
				size: () => (isNew ? undefined : whole),
				close: () => file.close(),
			};
		} catch (error) {
			await file.close();
			// The next try creates it again, and must not find it.
			await (create && unlink(path).catch(() => undefined));
			throw error;
		}
	} catch (error) {
		throw explainFileError(error, 'write', path);
	}
}

/** Waits until all have ended. Throws what the first of them threw that failed. */
export async function allDone(work: ReadonlyArray<Promise<unknown> | undefined>): Promise<void> {
	const failure = (await Promise.allSettled(work)).find(({status}) => status === 'rejected');
	if (failure?.status === 'rejected') {
		throw failure.reason;
	}
}

/** Writes all bytes, which takes one call unless the disk is full: then the next call throws the reason. */
export async function writeWhole(
	file: {readonly write: (bytes: Uint8Array) => Promise<{readonly bytesWritten: number}>},
	bytes: Uint8Array,
): Promise<void> {
	for (let rest = bytes; rest.length > 0; ) {
		const {bytesWritten} = await file.write(rest);
		rest = rest.subarray(bytesWritten);
	}
}
