import {chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync, unlinkSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {AppError} from '../core/error.ts';
import {errnoOf} from './file-error.ts';
import {assertOwner, temporaryName} from './private-file.ts';

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

/** No running process still writes a temporary file of this age. */
const orphanAgeMs = 60 * 60 * 1000;

/** The name of conf's temporary files. */
const confTemporaryName = /^config\.json\.tmp-\d{10}[\da-f]{6}$/;

/**
 * Deletes the temporary files of killed processes in a folder, which are too old to be in use (SAFETY 10). Another process may do
 * the same. Throws what the file system throws if the folder can't be read.
 */
export function sweepTemporaryFiles(folder: string): void {
	for (const name of readdirSync(folder)) {
		if (!temporaryName.test(name) && !confTemporaryName.test(name)) {
			continue;
		}

		const path = join(folder, name);
		const stats = statSync(path, {throwIfNoEntry: false});
		if (stats && Date.now() - stats.mtimeMs > orphanAgeMs) {
			try {
				unlinkSync(path);
			} catch {
				// Another process deleted it, or the next start will.
			}
		}
	}
}
