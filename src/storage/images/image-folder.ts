import {createHash, randomBytes} from 'node:crypto';
import {open, rename, unlink} from 'node:fs/promises';
import {join} from 'node:path';
import {explainFileError} from '../file-error.ts';
import {noFollow} from '../private-file.ts';
import {makePrivateFolder} from '../private-folder.ts';

/** Larger files are not read. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Keeps images in a private folder, each under its hash: sessions, and forks of them, share what they were shown. The folder
 * is created with the first image (SAFETY 10).
 */
export function createImageFolder(folder: string) {
	const pathOf = (hash: string) => join(folder, hash);

	const load = async (hash: string): Promise<Buffer | undefined> => {
		if (!/^[\da-f]{64}$/.test(hash)) {
			return undefined;
		}

		const file = await open(pathOf(hash), noFollow).catch(() => undefined);
		try {
			const stats = await file?.stat();
			const bytes = stats?.isFile() && stats.size <= maxBytes ? await file?.readFile() : undefined;
			// A file that was changed or cut is not the image that the session names.
			return bytes && hashOf(bytes) === hash ? bytes : undefined;
		} finally {
			await file?.close();
		}
	};

	return {
		load,
		/** Saves an image and returns its hash. Throws AppError("failed") if it can't be written. */
		async save(bytes: Buffer): Promise<string> {
			const hash = hashOf(bytes);
			if (!(await load(hash))) {
				await write(bytes, pathOf(hash), folder);
			}

			return hash;
		},
	};
}

async function write(bytes: Buffer, path: string, folder: string): Promise<void> {
	const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
	try {
		makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
		const file = await open(temporary, 'wx', 0o600);
		try {
			await file.writeFile(bytes);
			await file.sync();
		} finally {
			await file.close();
		}

		await rename(temporary, path);
	} catch (error) {
		await unlink(temporary).catch(() => undefined);
		throw explainFileError(error, 'write', path);
	}
}

function hashOf(bytes: Buffer): string {
	return createHash('sha256').update(bytes).digest('hex');
}
