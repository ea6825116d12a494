import {AppError} from '../core/error.ts';
import {withLock} from './lock.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';

/** Returns the text of a small file that processes share; undefined if it doesn't exist. Throws AppError("failed"). */
export function readSmallFile(path: string): string | undefined {
	return readPrivateFile(path);
}

/**
 * Changes a small file that processes share without losing a change: locks it, reads it again, calls `change`, and replaces
 * it as a whole (SAFETY 10, 18). Writes nothing if `change` returns undefined or the same text. Returns the new text of the
 * file. Throws AppError("conflict") if another process holds the lock, AppError("failed") for an error of the disk.
 */
export async function updateSmallFile(
	path: string,
	change: (text: string | undefined) => string | undefined,
): Promise<string | undefined> {
	return withLock(`${path}.lock`, async lock => {
		const before = readSmallFile(path);
		const after = change(before);
		if (after === undefined || after === before) {
			return before;
		}

		if (!lock.isHeld()) {
			throw new AppError('conflict', `Another process changed ${path} at the same time.`, {hint: 'Try again.'});
		}

		await replaceFile(path, after);
		return after;
	});
}
