import {accessSync, constants, statfsSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {errnoOf, fileReason} from '../storage/file-error.ts';
import type {Home} from '../storage/home.ts';
import {type Check, fault, good, note} from './check.ts';

/** With less free, a long session may not be saved. */
const leastFreeBytes = 200 * 1024 * 1024;
/** With less free, nothing is saved. */
const fullBelowBytes = 1024 * 1024;

/** Files that the program writes again and again. Those of root are left by one start with sudo. */
const ownFiles = ['config.json', 'settings.json'] as const;

/** Why the state folder can't be opened. `path` is where it would be; undefined if the home folder is unknown. */
export type HomeFault = {readonly path: string | undefined; readonly error: AppError};

/** Checks the state folder: it must be the user's alone, writable, and on a disk with space. */
export function checkState({path}: Pick<Home, 'path'>, unopened?: HomeFault): Check {
	const name = 'State folder';
	if (unopened) {
		const {message, hint = ''} = unopened.error;
		const fix = hint.includes('SERVICE_HOME') ? hint : `${hint} Or set SERVICE_HOME to a folder of your own.`;
		return fault(name, `${message} Nothing can be saved.`, fix.trim());
	}

	try {
		const {mode, uid} = statSync(path);
		const open = mode & 0o077;
		if (process.getuid && uid !== process.getuid()) {
			return fault(name, `${path} belongs to user ${uid}.`, `Take it over (chown), or set SERVICE_HOME to your own.`);
		}

		if (open !== 0) {
			return fault(name, `Others may enter ${path} (mode ${(mode & 0o777).toString(8)}).`, `Run: chmod 700 ${path}`);
		}

		accessSync(path, constants.W_OK | constants.X_OK);
		const {bavail, bsize} = statfsSync(path);
		const free = `${formatBytes(bavail * bsize)} free`;
		const locked = ownFiles.map(file => join(path, file)).find(isLocked);
		if (locked) {
			return fault(name, `${locked} can't be read and written.`, `Run: sudo chown -R "$(id -u)" ${path}`);
		}

		if (bavail * bsize < fullBelowBytes) {
			return fault(name, `${path}: the disk is full (${free}). Nothing can be saved.`, 'Free some space.');
		}

		return bavail * bsize < leastFreeBytes
			? note(name, `${path}: only ${free}.`, 'Free some space, or sessions are not saved.')
			: good(name, `${path}, private, ${free}.`);
	} catch (error) {
		const fix = errnoOf(error) === 'EACCES' ? `Run: chmod 700 ${path}` : 'Set SERVICE_HOME to another folder.';
		return fault(name, `${path}: ${fileReason(error) ?? String(error)}.`, fix);
	}
}

/** Returns true for a file that is there, but can't be opened for reading and writing. */
function isLocked(file: string): boolean {
	try {
		accessSync(file, constants.R_OK | constants.W_OK);
		return false;
	} catch (error) {
		return errnoOf(error) !== 'ENOENT';
	}
}
