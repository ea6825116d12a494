import {AppError} from '../../core/error.ts';
import {type Bounds, type Guard, openInside} from './bounds.ts';

/** Larger files are not read at all, in bytes. */
const largestFile = 16 * 1024 * 1024;

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

		const chunks: Buffer[] = [];
		// A file that grows while it is read, or says nothing of its size, is cut at the limit.
		for await (const chunk of handle.createReadStream({autoClose: false, end: largestFile, signal})) {
			chunks.push(chunk as Buffer);
		}

		const bytes = Buffer.concat(chunks);
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

/** As git and ripgrep tell it: a NUL byte near the beginning. */
function isBinary(bytes: Buffer): boolean {
	return bytes.subarray(0, 8192).includes(0);
}

function megabytes(bytes: number): string {
	return (bytes / 1024 / 1024).toFixed(1);
}
