import {createReadStream} from 'node:fs';
import {link, readdir, rename, stat, unlink, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {errnoOf} from '../file-error.ts';
import {tryLock} from '../lock.ts';
import {sweepTemporaryFiles} from '../private-folder.ts';

type Places = {
	/** The folder of the images, and that of the sessions of all working folders. */
	readonly images: string;
	readonly sessions: string;
};

type Options = {
	readonly nowMs: number;
	/** Shortest time between two cleanups, and the least age of what is removed; a day by default. */
	readonly intervalMs?: number;
};

const dayMs = 24 * 60 * 60 * 1000;
const asideEnd = '.removed';
const imageName = /^[\da-f]{64}$/;

/**
 * Deletes the images that no session names any more. Images of the last day stay, also those that were saved again: a
 * session of another window may be about to name them. Deletes none if a session can't be read. At most one process cleans,
 * once a day.
 */
export async function cleanImages({images, sessions}: Places, {nowMs, intervalMs = dayMs}: Options): Promise<void> {
	const all = await namesIn(images);
	if (all.length > 0) {
		sweepTemporaryFiles(images);
	}

	const names = all.filter(name => imageName.test(name));
	const stamp = join(images, 'cleaned');
	if (names.length === 0 || nowMs - (await savedAtMs(stamp)) < intervalMs) {
		return;
	}

	const lock = tryLock(join(images, 'clean.lock'), {staleAfterMs: dayMs});
	if (!('release' in lock)) {
		return;
	}

	try {
		await writeFile(stamp, '', {mode: 0o600});
		await utimes(stamp, nowMs / 1000, nowMs / 1000);
		// Left behind by a cleanup that was killed.
		const aside = (await namesIn(images)).filter(name => name.endsWith(asideEnd));
		await Promise.all(aside.map(name => unlink(join(images, name))));
		const isOld = async (path: string) => nowMs - (await savedAtMs(path)) > intervalMs;
		const ages = await Promise.all(names.map(name => isOld(join(images, name))));
		const unnamed = new Set(names.filter((_, index) => ages[index]));
		await removeNamed(unnamed, sessions);
		for (const name of unnamed) {
			await removeUnlessSaved(join(images, name), isOld);
		}
	} finally {
		lock.release();
	}
}

/** Removes from the set what a file of a session names, whatever the file is called. Throws if one can't be read. */
async function removeNamed(hashes: Set<string>, sessions: string): Promise<void> {
	for (const folder of await namesIn(sessions)) {
		for (const name of await namesIn(join(sessions, folder))) {
			if (hashes.size === 0) {
				return;
			}

			let rest = '';
			for await (const chunk of createReadStream(join(sessions, folder, name), 'latin1')) {
				const text = rest + chunk;
				for (const [hash] of text.matchAll(/(?<![\da-f])[\da-f]{64}(?![\da-f])/g)) {
					hashes.delete(hash);
				}

				rest = text.slice(-128);
			}
		}
	}
}

/** Deletes an image, unless it was saved again since. It is moved aside first, so that nobody can save it meanwhile. */
async function removeUnlessSaved(path: string, isOld: (path: string) => Promise<boolean>): Promise<void> {
	const aside = path + asideEnd;
	await rename(path, aside);
	if (!(await isOld(aside))) {
		// A newer one may be there by now.
		await link(aside, path).catch(() => undefined);
	}

	await unlink(aside);
}

/** Returns the names in a folder; none if there is no such folder. */
async function namesIn(path: string): Promise<readonly string[]> {
	try {
		return await readdir(path);
	} catch (error) {
		const code = errnoOf(error);
		if (code === 'ENOENT' || code === 'ENOTDIR') {
			return [];
		}

		throw error;
	}
}

async function savedAtMs(path: string): Promise<number> {
	return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
