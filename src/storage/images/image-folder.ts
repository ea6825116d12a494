import {createHash} from 'node:crypto';
import {open, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import {noFollow, replaceFile} from '../private-file.ts';
import {makePrivateFolder, sweepTemporaryFiles} from '../private-folder.ts';

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
			const now = new Date();
			// First, so that no cleanup deletes what is there.
			await utimes(pathOf(hash), now, now).catch(() => undefined);
			if (!(await load(hash))) {
				makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
				sweepTemporaryFiles(folder);
				await replaceFile(pathOf(hash), bytes);
			}

			return hash;
		},
	};
}

/** How long after its start a program cleans the images: nothing waits for it. */
const cleanDelayMs = 60_000;

/** Deletes the images that no session names any more, later and in the background. */
export function cleanImagesLater(places: {readonly images: string; readonly sessions: string}): void {
	const clean = async () => (await import('./clean-images.ts')).cleanImages(places, {nowMs: Date.now()});
	// What can't be cleaned today may be tomorrow.
	setTimeout(() => void clean().catch(() => undefined), cleanDelayMs).unref();
}

function hashOf(bytes: Buffer): string {
	return createHash('sha256').update(bytes).digest('hex');
}
