import {lstat, mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isRunning} from '../../storage/lock-owner.ts';

const name = /^service-(\d+)-\w{6}$/;

/**
 * Makes the folder of an embedded server, for the user alone, and removes those of programs that were killed before they
 * could remove theirs. The name says whose it is.
 */
export async function makeEmbeddedFolder(parent = tmpdir()): Promise<string> {
	await sweep(parent);
	return await mkdtemp(join(parent, `service-${process.pid}-`));
}

/** Removes what it can; the rest stays. */
async function sweep(parent: string): Promise<void> {
	for (const entry of await readdir(parent).catch(() => [])) {
		const [, pid] = name.exec(entry) ?? [];
		const path = join(parent, entry);
		if (pid !== undefined && !isRunning(Number(pid)) && (await isOwn(path))) {
			await rm(path, {recursive: true, force: true}).catch(() => undefined);
		}
	}
}

/** The temporary folder is everybody's: only a folder of our own, and no link, is ours to remove. */
async function isOwn(path: string): Promise<boolean> {
	const stats = await lstat(path).catch(() => undefined);
	return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}
