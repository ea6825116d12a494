import {chmodSync, existsSync, lstatSync, mkdirSync, type Stats} from 'node:fs';
import {dirname} from 'node:path';
import {AppError} from '../core/error.ts';
import {errnoOf} from './file-error.ts';
import {assertOwner} from './private-file.ts';

type Options = {
	/** What to do about a link or a file at this path, as one sentence. */
	readonly hint: string;
	readonly platform?: NodeJS.Platform | undefined;
	/** The user who must own the folder; by default the user of this process. */
	readonly uid?: number | undefined;
};

/**
 * Creates a private folder and its parents, or makes an existing folder private. Synchronous with few calls, because the
 * first frame waits for it. Throws AppError("failed") for a symbolic link, a file, or another owner (SAFETY 10), and what
 * the file system throws.
 */
export function makePrivateFolder(path: string, {hint, platform = process.platform, uid}: Options): void {
	const stats = lstatSync(path, {throwIfNoEntry: false}) ?? makeFolder(path);
	if (!stats.isDirectory()) {
		throw new AppError('failed', `${path} is ${stats.isSymbolicLink() ? 'a symbolic link' : 'not a folder'}.`, {hint});
	}

	if (platform !== 'win32') {
		assertOwner(stats, path, uid);
		if (stats.mode & 0o077) {
			chmodSync(path, 0o700);
		}
	}
}

/**
 * Creates a private folder and its parents, if it doesn't exist. Doesn't use `recursive`, which never ends in `/proc`. Throws
 * what the file system throws.
 */
export function makeFolder(path: string): Stats {
	const parent = dirname(path);
	if (!existsSync(parent)) {
		makeFolder(parent);
	}

	try {
		mkdirSync(path, {mode: 0o700});
	} catch (error) {
		// Another process may have been faster.
		if (errnoOf(error) !== 'EEXIST') {
			throw error;
		}
	}

	return lstatSync(path);
}
