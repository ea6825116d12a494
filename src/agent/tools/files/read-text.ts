import type {FileHandle} from 'node:fs/promises';
import {AppError} from '../../../core/error.ts';
import {type Bounds, type Guard, openInside} from './bounds.ts';

/** Larger files are not read at all, in bytes. */
const largestFile = 16 * 1024 * 1024;
const smallestRead = 4096;

/**
 * The text of a file of the workspace, without a byte order mark. Throws `AppError` where it is too large or binary, and
 * as `openInside`.
 */
export async function readText(
	path: string,
	bounds: Bounds,
	signal: AbortSignal,
	guard?: Guard,
): Promise<{text: string; shown: string}> {
	const {handle, size, shown} = await openInside(path, bounds, guard);
	try {
		if (size > largestFile) {
			throw new AppError('failed', `“${shown}” is too large to read: ${megabytes(size)} MB.`, {
				hint: 'Files of more than 16 MB are neither read nor searched.',
			});
		}

		const bytes = await readBytes(handle, size, signal);
		if (isBinary(bytes)) {
			throw new AppError('failed', `“${shown}” is a binary file (${bytes.length} bytes); only text can be read.`);
		}

		return {text: new TextDecoder().decode(bytes), shown};
	} finally {
		await handle.close();
	}
}

/** Lines end in LF or CRLF; a line end at the very end begins no further line. */
export function splitLines(text: string): readonly string[] {
	const lines = text.split(/\r?\n/);
	return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The bytes of a file. One that grows while it is read, or says nothing of its size, is cut at the limit. */
async function readBytes(handle: FileHandle, size: number, signal: AbortSignal): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for (;;) {
		signal.throwIfAborted();
		// One byte more than it should have, which says at once that this was all of it.
		const room = Math.min(largestFile + 1 - length, Math.max(size + 1 - length, smallestRead));
		const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(room), 0, room);
		length += bytesRead;
		chunks.push(buffer.subarray(0, bytesRead));
		if (bytesRead === 0 || length > largestFile) {
			return Buffer.concat(chunks);
		}
	}
}

/** As git and ripgrep tell it: a NUL byte near the beginning. */
function isBinary(bytes: Buffer): boolean {
	return bytes.subarray(0, 8192).includes(0);
}

function megabytes(bytes: number): string {
	return (bytes / 1024 / 1024).toFixed(1);
}
