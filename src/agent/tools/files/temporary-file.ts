import {randomBytes} from 'node:crypto';
import {lstat, readdir, unlink} from 'node:fs/promises';
import type {Folder} from './folder-handle.ts';

const temporaryName = /^\.service-[\da-f]{16}\.tmp$/;

/** A younger file may be one that another window is writing. */
const orphanAgeMs = 60 * 60 * 1000;

/** Returns a new name for the file that takes the place of another one once it is written. */
export function newTemporaryName(): string {
	return `.service-${randomBytes(8).toString('hex')}.tmp`;
}

export function isTemporaryName(name: string): boolean {
	return temporaryName.test(name);
}

/** Removes what a program that was killed while it wrote here has left. Never throws. */
export async function removeOrphans(folder: Folder): Promise<void> {
	const names = await readdir(folder.pathOf('.')).catch(() => []);
	for (const path of names.filter(isTemporaryName).map(folder.pathOf)) {
		const stats = await lstat(path).catch(() => undefined);
		if (stats?.isFile() && Date.now() - stats.mtimeMs > orphanAgeMs) {
			await unlink(path).catch(() => undefined);
		}
	}
}
