import {randomBytes} from 'node:crypto';
import {constants} from 'node:fs';
import {type FileHandle, lstat, mkdir, open, readdir, unlink} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import {AppError} from '../../../core/error.ts';
import {assertVisible, type Bounds, pathOfOpened} from '../../policy/bounds.ts';

/** An open folder of the workspace. */
export type Folder = {
	/** Returns the path of an entry: on Linux below the open folder itself, so that a swap of its path changes nothing. */
	readonly pathOf: (name: string) => string;
	/** Writes changed entries to the disk. */
	readonly sync: () => Promise<void>;
	/** Throws `AppError("failed")` if the folder is no longer where it was opened. */
	readonly check: () => Promise<void>;
	readonly close: () => Promise<void>;
};

/** Windows can't open folders. */
const opensFolders = constants.O_DIRECTORY !== undefined;
const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a folder of the workspace name by name, never through a link, and creates those that are missing. `real` is a real
 * path (SAFETY 13). Throws `AppError("failed")` if a name is no folder, or the folder is outside or protected.
 */
export async function openFolder(real: string, bounds: Bounds): Promise<Folder> {
	const names = relative(bounds.workspace, real).split(sep).filter(Boolean);
	let folder = await openOne(bounds.workspace, bounds.workspace, bounds);
	let path = bounds.workspace;
	for (const name of names) {
		path = join(path, name);
		const parent = folder;
		try {
			folder = await openOrCreate(parent.pathOf(name), path, bounds);
		} finally {
			await parent.close();
		}
	}

	return folder;
}

async function openOrCreate(path: string, real: string, bounds: Bounds): Promise<Folder> {
	await mkdir(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'EEXIST') {
			throw error;
		}
	});
	return openOne(path, real, bounds);
}

async function openOne(path: string, real: string, bounds: Bounds): Promise<Folder> {
	if (!opensFolders) {
		const nothing = async () => undefined;
		return {pathOf: name => join(path, name), sync: nothing, check: nothing, close: nothing};
	}

	const handle = await open(path, flags);
	const check = async () => {
		const opened = await pathOfOpened(handle, real);
		assertVisible(opened, relative(bounds.workspace, real), bounds);
		if (opened !== real) {
			throw new AppError('failed', 'The folder was moved or replaced meanwhile.', {hint: 'Try again.'});
		}
	};

	try {
		await check();
	} catch (error) {
		await handle.close();
		throw error;
	}

	return {
		pathOf: name => join(placeOf(handle, real), name),
		sync: () => handle.sync(),
		check,
		close: () => handle.close(),
	};
}

function placeOf({fd}: FileHandle, real: string): string {
	return process.platform === 'linux' ? `/proc/self/fd/${fd}` : real;
}

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
