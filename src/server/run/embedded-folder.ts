import {lstat, mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isRunning} from '../../storage/lock-owner.ts';

const folderPattern = /^service-(\d+)-\w{6}$/;

/**
 * Creates a private folder for an embedded server, named after the process id. Removes folders of programs that were
 * killed before they could.
 */
export async function makeEmbeddedFolder(parent = tmpdir()): Promise<string> {
	await removeStaleFolders(parent);
	return await mkdtemp(join(parent, `service-${process.pid}-`));
}

/** Removes the folders of ended programs; ignores failures. */
async function removeStaleFolders(parent: string): Promise<void> {
	for (const entry of await readdir(parent).catch(() => [])) {
		const [, pid] = folderPattern.exec(entry) ?? [];
		const path = join(parent, entry);
		if (pid !== undefined && !isRunning(Number(pid)) && (await isOwn(path))) {
			await rm(path, {recursive: true, force: true}).catch(() => undefined);
		}
	}
}

/**
 * Returns whether a path is a folder of this user. The temporary folder is shared, so other users' folders and links
 * are left alone.
 */
async function isOwn(path: string): Promise<boolean> {
	const stats = await lstat(path).catch(() => undefined);
	return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}
