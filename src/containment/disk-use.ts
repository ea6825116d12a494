import {lstatSync, readdirSync, readlinkSync, statSync} from 'node:fs';
import {lstat, opendir} from 'node:fs/promises';
import {join} from 'node:path';

/** More files are treated like a full disk. */
export const maxFiles = 1_000_000;

/** The block size of `stat`. */
const blockBytes = 512;

export type DiskUse = {readonly bytes: number; readonly files: number};

/** Returns the disk use of folders, including removed files that are still open in `pids`. */
export async function diskUseOf(folders: readonly string[], pids: readonly number[]): Promise<DiskUse> {
	let bytes = removedBytes(folders[0] ?? '/', pids);
	let files = 0;
	for (const left = [...folders]; left.length > 0 && files <= maxFiles; ) {
		const folder = left.pop() ?? '';
		// Files removed during the count don't count.
		for await (const entry of (await opendir(folder).catch(() => undefined)) ?? []) {
			const path = join(folder, entry.name);
			files += 1;
			bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * blockBytes;
			if (entry.isDirectory()) {
				left.push(path);
			}
		}
	}

	return {bytes, files};
}

/** Returns the bytes of open files without a name on the disk of `folder`. */
function removedBytes(folder: string, pids: readonly number[]): number {
	const seen = new Map<number, number>();
	for (const pid of pids) {
		try {
			const {dev} = lstatSync(folder);
			for (const name of readdirSync(`/proc/${pid}/fd`)) {
				const path = `/proc/${pid}/fd/${name}`;
				if (readlinkSync(path).endsWith(' (deleted)')) {
					const stats = statSync(path);
					seen.set(stats.ino, stats.dev === dev ? stats.blocks * blockBytes : 0);
				}
			}
		} catch {
			// The process has ended, or belongs to another user.
		}
	}

	return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}
