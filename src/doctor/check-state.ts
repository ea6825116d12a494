import {accessSync, constants, statfsSync, statSync} from 'node:fs';
import type {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {errnoOf, fileReason} from '../storage/file-error.ts';
import type {Home} from '../storage/home.ts';
import {type Check, fault, good, note} from './check.ts';

/** With less free, a long session may not be saved. */
const leastFreeBytes = 200 * 1024 * 1024;

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
		return bavail * bsize < leastFreeBytes
			? note(name, `${path}: only ${free}.`, 'Free some space, or sessions are not saved.')
			: good(name, `${path}, private, ${free}.`);
	} catch (error) {
		const fix = errnoOf(error) === 'EACCES' ? `Run: chmod 700 ${path}` : 'Set SERVICE_HOME to another folder.';
		return fault(name, `${path}: ${fileReason(error) ?? String(error)}.`, fix);
	}
}
