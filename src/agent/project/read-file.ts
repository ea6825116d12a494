import {isUtf8} from 'node:buffer';
import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {AppError} from '../../core/error.ts';
import {type Bounds, type Guard, openInside} from '../policy/bounds.ts';
import {withoutSecretFiles} from '../policy/secret-guard.ts';
import {contentHash, decodeText} from '../tools/files/read-text.ts';

/** Most bytes of a file that are used; the rest of a longer one is left out. */
export const maxFileBytes = 64 * 1024;

/** The text of a file, read once: what is hashed is what is used (SAFETY 12). */
export type FileContent = {
	readonly real: string;
	readonly text: string;
	/** True for UTF-16. */
	readonly isUtf16?: boolean;
	/** Of the bytes that `text` was decoded from. */
	readonly hash: string;
	/** Of the whole file. */
	readonly sizeBytes: number;
	readonly isCut: boolean;
};

/**
 * Returns the beginning of a text file below a folder; undefined if it doesn't exist. Throws `AppError("failed")` if its real
 * path is outside or protected, `guard` refuses it (by default a name that suggests secrets), or it isn't UTF-8 or UTF-16 text.
 */
export async function readInside(
	path: string,
	bounds: Bounds,
	guard: Guard = withoutSecretFiles,
): Promise<FileContent | undefined> {
	const opened = await openInside(path, bounds, guard).catch(unlessMissing);
	return opened && readHandle(opened.handle, opened.real);
}

/** Returns the beginning of a text file of the user's own, which may be a link. Otherwise like `readInside`. */
export async function readOwn(path: string): Promise<FileContent | undefined> {
	// O_NONBLOCK: opening a pipe must not wait for its writer.
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(unlessMissing);
	return handle && readHandle(handle, path);
}

function unlessMissing(error: unknown): undefined {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	if (code !== 'not-found' && code !== 'ENOENT' && code !== 'ENOTDIR') {
		throw error;
	}
}

async function readHandle(handle: FileHandle, real: string): Promise<FileContent> {
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) {
			throw new AppError('failed', 'it is not a regular file');
		}

		const bytes = await firstBytes(handle);
		const isCut = bytes.length > maxFileBytes;
		const used = isCut ? withoutHalfCharacter(bytes.subarray(0, maxFileBytes)) : bytes;
		const decoded = decodeText(used);
		if (!decoded || (decoded.encoding.name === 'utf-8' && !isUtf8(used))) {
			throw new AppError('failed', 'it is not a UTF-8 text');
		}

		const isUtf16 = decoded.encoding.name !== 'utf-8';
		const sizeBytes = Math.max(stats.size, used.length);
		return {real, text: decoded.text, hash: contentHash(used), sizeBytes, isCut, ...(isUtf16 && {isUtf16})};
	} finally {
		await handle.close();
	}
}

/** Returns the first bytes, one more than are used if there are more. */
async function firstBytes(handle: FileHandle): Promise<Buffer> {
	const buffer = Buffer.alloc(maxFileBytes + 1);
	let length = 0;
	for (;;) {
		const {bytesRead} = await handle.read(buffer, length, buffer.length - length);
		length += bytesRead;
		if (bytesRead === 0 || length === buffer.length) {
			return buffer.subarray(0, length);
		}
	}
}

/** Returns the bytes without the UTF-8 character that the cut has split, if there is one. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
	let end = bytes.length;
	while (end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) {
		end--;
	}

	const isLead = ((bytes[end - 1] ?? 0) & 0xc0) === 0xc0;
	return isLead && !isUtf8(bytes.subarray(end - 1)) ? bytes.subarray(0, end - 1) : bytes;
}
