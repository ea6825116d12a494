import {constants} from 'node:fs';
import {link, mkdir, open, readdir, stat, unlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Readable} from 'node:stream';
import {once} from '../../core/once.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {noFollow, syncFolder} from '../../storage/private-file.ts';
import type {Blobs} from './blobs.ts';
import {onDisk, spool} from './spool.ts';

/** How old an upload must be before nobody can be sending it any more, in milliseconds. */
const orphanAge = 24 * 60 * 60 * 1000;

/**
 * Keeps bytes as files below a folder, which is made with mode 0700 when the first ones come. Several servers may share
 * it. It must be one file system that knows hard links.
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
				if (await onDisk(mkdir(dirname(path), {recursive: true, mode: 0o700}))) {
					await onDisk(syncFolder(root));
				}

				// A link takes the place of nothing: of two that upload under one name at once the first one stays.
				const outcome = await onDisk(link(spooled.path, path).then(() => 'stored' as const, existsAlready));
				await onDisk(syncFolder(dirname(path)));
				return outcome;
			} finally {
				await unlink(spooled.path).catch(missing);
			}
		},

		async size(name) {
			return (await onDisk(stat(join(root, name)).catch(missing)))?.size;
		},

		async open(name, range) {
			const file = await onDisk(open(join(root, name), constants.O_RDONLY | noFollow).catch(missing));
			return file && (Readable.toWeb(file.createReadStream(range)) as ReadableStream<Uint8Array>);
		},
	};
}

/** Creates the folder of uploads, and removes what a killed server left there. */
async function prepare(uploads: string): Promise<void> {
	await onDisk(mkdir(uploads, {recursive: true, mode: 0o700}));
	for (const name of await onDisk(readdir(uploads))) {
		const path = join(uploads, name);
		const stats = await stat(path).catch(missing);
		if (stats && Date.now() - stats.mtimeMs > orphanAge) {
			// Another server of this folder may be faster.
			await unlink(path).catch(missing);
		}
	}
}

function existsAlready(error: unknown): 'exists' {
	if (errnoOf(error) === 'EEXIST') {
		return 'exists';
	}

	throw error;
}

function missing(error: unknown): undefined {
	if (errnoOf(error) !== 'ENOENT') {
		throw error;
	}
}
