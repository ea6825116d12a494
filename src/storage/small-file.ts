import {AppError} from '../core/error.ts';
import {withLock} from './lock.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';

/** The text of a small file that several processes share; undefined where there is none. Throws `AppError` (`failed`). */
export function readSmallFile(path: string): string | undefined {
	return readPrivateFile(path);
}

/**
 * Changes a small file that several processes share, so that no change is lost: takes its lock, reads it again, lets
 * `change` merge into what is there, and replaces it as a whole (SAFETY 10, 18). Nothing is written where `change` gives
 * undefined or the same text. Returns the text that is now in the file. Throws `AppError`: `conflict` where another process
 * keeps the lock, `failed` where the disk refuses.
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
