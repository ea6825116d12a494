import {accessSync, constants} from 'node:fs';
import {dirname} from 'node:path';
import {AppError} from '../core/error.ts';
import {errnoOf} from './file-error.ts';
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
	return withLock(await lockOf(path), async lock => {
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

/** Returns the lock of a file: beside it, or in the folder for temporary files if its own can't be written. */
async function lockOf(path: string): Promise<string> {
	try {
		accessSync(dirname(path), constants.W_OK);
	} catch (error) {
		if (/^E(?:ACCES|PERM|ROFS)$/.test(errnoOf(error) ?? '')) {
			return (await import('./in-place.ts')).lockElsewhere(path);
		}
	}

	return `${path}.lock`;
}
