import {lstatSync, readdirSync, readlinkSync, statSync} from 'node:fs';
import {lstat, opendir} from 'node:fs/promises';
import {join} from 'node:path';

/** More files are treated like a full disk. */
export const maxFiles = 1_000_000;

/** The block size of `stat`. */
const blockBytes = 512;

export type DiskUse = {readonly bytes: number; readonly files: number};

/** Returns the disk use of folders, including removed files that are still open in processes, given by their folders in `/proc`. */
export async function diskUseOf(folders: readonly string[], processes: readonly string[]): Promise<DiskUse> {
	let bytes = removedBytes(folders[0] ?? '/', processes);
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
function removedBytes(folder: string, processes: readonly string[]): number {
	const seen = new Map<number, number>();
	for (const process of processes) {
		try {
			const {dev} = lstatSync(folder);
			for (const name of readdirSync(`${process}/fd`)) {
				const path = `${process}/fd/${name}`;
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
