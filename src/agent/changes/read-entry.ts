import {createHash} from 'node:crypto';
import {type BigIntStats, constants} from 'node:fs';
import {lstat, open, readlink} from 'node:fs/promises';
import {sep} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {maxFileBytes} from '../tools/files/read-text.ts';
import type {ObjectStore} from './object-store.ts';
import {fileEntry, type TreeEntry} from './tree.ts';

/** What is at a path: its entry, and the facts that change with its content. */
export type FoundEntry = {readonly entry: TreeEntry; readonly stats: BigIntStats};

const gone = new Set<string | undefined>(['ENOENT', 'ENOTDIR']);

/**
 * Stores the content of a file or link. `name` is its real path, if `path` isn't. Returns its entry; undefined for a folder, a pipe, and where nothing is. Left out is
 * the content of a file that is too large or unreadable, or whose name suggests secrets: those are kept nowhere else.
 */
export async function readEntry(
	path: string,
	store: Pick<ObjectStore, 'put'>,
	{isSynced = false, name = path}: {readonly isSynced?: boolean; readonly name?: string} = {},
): Promise<FoundEntry | undefined> {
	const stats = await lstat(path, {bigint: true}).catch((error: unknown) => {
		if (gone.has(errnoOf(error))) {
			return undefined;
		}

		throw error;
	});
	if (stats?.isSymbolicLink()) {
		return {entry: {mode: 'link', id: await store.put('blob', await readlink(path, 'buffer'), isSynced)}, stats};
	}

	if (!stats?.isFile()) {
		return undefined;
	}

	const isKept = stats.size <= maxFileBytes && !isSecretFile(name.replaceAll(sep, '/'));
	const content = isKept ? await readContent(path).catch(unlessUnreadable) : undefined;
	if (content === undefined || content.length > maxFileBytes) {
		return {entry: leftOut(stats), stats};
	}

	const permissions = process.platform === 'win32' ? 0o644 : Number(stats.mode & 0o777n);
	return {entry: fileEntry(await store.put('blob', content, isSynced), permissions), stats};
}

function leftOut({size, mtimeNs}: BigIntStats): TreeEntry {
	return {mode: 'left-out', id: createHash('sha1').update(`${size} ${mtimeNs}`).digest('hex')};
}

/** Reads a regular file. Never follows a link or waits for the other end of a pipe that replaced it meanwhile. */
async function readContent(path: string): Promise<Buffer | undefined> {
	const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const {size} = await file.stat();
		return (await file.stat()).isFile() && size <= maxFileBytes ? await file.readFile() : undefined;
	} finally {
		await file.close();
	}
}

function unlessUnreadable(error: unknown): undefined {
	if (!['EACCES', 'EPERM', 'ELOOP', 'ENOENT', 'ENXIO'].includes(errnoOf(error) ?? '')) {
		throw error;
	}
}
