import {constants} from 'node:fs';
import {open, unlink} from 'node:fs/promises';
import {dirname} from 'node:path';
import {explainFileError} from './file-error.ts';
import {assertPrivate, noFollow, syncFolder} from './private-file.ts';

/** A file that only grows. */
export type AppendFile = {
	/** Appends `bytes` in one call, and waits for the disk if `durable`. Throws what the file system throws. */
	readonly append: (bytes: Uint8Array, durable: boolean) => Promise<void>;
	/** Returns the bytes of complete writes. */
	readonly size: () => number;
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
			if (create) {
				await syncFolder(dirname(path));
			}

			if (stats.size > whole) {
				await file.truncate(whole);
			}

			return {
				append: async (bytes, durable) => {
					await writeWhole(file, bytes);
					if (durable) {
						await file.datasync();
					}

					whole += bytes.length;
				},
				size: () => whole,
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
