import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {lstat, open, readlink} from 'node:fs/promises';
import {errnoOf} from '../../storage/file-error.ts';

/** What `identifyFile` says of a file that doesn't exist. */
export const goneFile = 'gone';
/** What it says of a folder: only one that couldn't be looked into is remembered itself. */
export const anyFolder = 'folder';

const maxHashedBytes = 16 * 1024 * 1024;

/** Returns the identity of a regular file with this content. */
export function identifyContent(bytes: Buffer, isProgram: boolean): string {
	return `${isProgram ? 'program' : 'file'}:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Returns what changes with what is at a path: the content of a file and whether it can be run, or the target of a link. */
export async function identifyFile(path: string): Promise<string> {
	try {
		const stats = await lstat(path, {bigint: true});
		if (stats.isSymbolicLink()) {
			return `link:${createHash('sha256')
				.update(await readlink(path, 'buffer'))
				.digest('hex')}`;
		}

		if (!stats.isFile()) {
			return stats.isDirectory() ? anyFolder : 'special';
		}

		const isProgram = (stats.mode & 0o111n) !== 0n;
		const content = stats.size <= maxHashedBytes ? await readFile(path) : undefined;
		return content
			? identifyContent(content, isProgram)
			: `stamp:${stats.size} ${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`;
	} catch (error) {
		const code = errnoOf(error);
		return code === 'ENOENT' || code === 'ENOTDIR' ? goneFile : 'unreadable';
	}
}

/** Reads a regular file; undefined for one that can't be read. Never follows a link or waits for a pipe. */
async function readFile(path: string): Promise<Buffer | undefined> {
	try {
		const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
		try {
			const {size} = await file.stat();
			return size <= maxHashedBytes ? await file.readFile() : undefined;
		} finally {
			await file.close();
		}
	} catch {
		return undefined;
	}
}
