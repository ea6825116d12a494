import {constants} from 'node:fs';
import {link, mkdir, open, readdir, stat, unlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Readable} from 'node:stream';
import {once} from '../../core/once.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {noFollow, syncFolder} from '../../storage/private-file.ts';
import type {Blobs, StoredBlob} from './blobs.ts';
import {asStoreError, spool} from './spool.ts';

/** After this time an upload can't be in progress any more. */
const orphanAgeMs = 24 * 60 * 60 * 1000;

/** How many files are looked at for one part of a list. */
const listedAtOnce = 1000;

/**
 * Stores bytes as files in a folder, which is created with mode 0700 on first use. Several servers may share it. The
 * file system must support hard links.
 */
export function createDiskBlobs(root: string): Blobs {
	const uploads = join(root, 'uploads');
	const ready = once(() => prepare(uploads));

	return {
		async put(name, chunks, sha256) {
			await ready();
			const path = join(root, name);
			const spooled = await spool(uploads, chunks, sha256);
			try {
				if (await asStoreError(mkdir(dirname(path), {recursive: true, mode: 0o700}))) {
					await asStoreError(syncFolder(root));
				}

				// A hard link never replaces a file: of two concurrent uploads with one name, the first one stays.
				const outcome = await asStoreError(link(spooled.path, path).then(() => 'stored' as const, ignoreExisting));
				await asStoreError(syncFolder(dirname(path)));
				return outcome;
			} finally {
				await unlink(spooled.path).catch(ignoreMissing);
			}
		},

		async size(name) {
			return (await asStoreError(stat(join(root, name)).catch(ignoreMissing)))?.size;
		},

		async open(name, range) {
			const file = await asStoreError(open(join(root, name), constants.O_RDONLY | noFollow).catch(ignoreMissing));
			return file && (Readable.toWeb(file.createReadStream(range)) as ReadableStream<Uint8Array>);
		},

		async remove(name) {
			await asStoreError(unlink(join(root, name)).catch(ignoreMissing));
		},

		async list(folder, after) {
			const files = (await asStoreError(readdir(join(root, folder)).catch(ignoreMissing))) ?? [];
			const names = files.map(file => `${folder}/${file}`).sort();
			const stored: StoredBlob[] = [];
			for (const name of names.filter(each => each > after).slice(0, listedAtOnce)) {
				const stats = await asStoreError(stat(join(root, name)).catch(ignoreMissing));
				if (stats) {
					stored.push({name, bytes: stats.size, storedAtMs: stats.mtimeMs});
				}
			}

			return stored;
		},
	};
}

/** Creates the folder of uploads, and removes those left by a killed server. */
async function prepare(uploads: string): Promise<void> {
	await asStoreError(mkdir(uploads, {recursive: true, mode: 0o700}));
	for (const name of await asStoreError(readdir(uploads))) {
		const path = join(uploads, name);
		const stats = await stat(path).catch(ignoreMissing);
		if (stats && Date.now() - stats.mtimeMs > orphanAgeMs) {
			// Another server that shares this folder may remove it first.
			await unlink(path).catch(ignoreMissing);
		}
	}
}

function ignoreExisting(error: unknown): 'exists' {
	if (errnoOf(error) === 'EEXIST') {
		return 'exists';
	}

	throw error;
}

function ignoreMissing(error: unknown): undefined {
	if (errnoOf(error) !== 'ENOENT') {
		throw error;
	}
}
