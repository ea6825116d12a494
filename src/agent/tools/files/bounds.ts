import {constants} from 'node:fs';
import {type FileHandle, lstat, open, readlink, realpath} from 'node:fs/promises';
import {dirname, isAbsolute, relative, resolve, sep} from 'node:path';
import {AppError} from '../../../core/error.ts';
import {type Places, protectedPlaces} from '../../policy/protected-places.ts';

/** What the tools may see. */
export type Bounds = {
	/** The real path of the working folder. */
	readonly workspace: string;
	/** Real paths that are never shown to a model, if the working folder contains them or is in them. */
	readonly hidden: readonly string[];
};

export type Located = {
	readonly real: string;
	/** Relative to the workspace, with `/`; `.` for the workspace itself. */
	readonly shown: string;
};

/** Returns the bounds of one tool call. `workspace` is a real path. */
export async function boundsOf(workspace: string, places: Places): Promise<Bounds> {
	const real = await Promise.all(
		protectedPlaces(places).map(async place => (await realPathOf(place)) ?? (await realParentOf(place))),
	);
	return {workspace, hidden: real.filter(place => isInside(place, workspace) || isInside(workspace, place))};
}

/** Returns the hidden places below a folder, relative to it, with `/`. */
export function hiddenBelow(folder: string, {hidden}: Bounds): readonly string[] {
	return hidden.filter(place => place !== folder && isInside(place, folder)).map(place => shownPath(place, folder));
}

/**
 * Resolves a path that a model wrote, through every link (SAFETY 13). Throws `AppError("not-found")` if it doesn't exist,
 * `AppError("failed")` if it is outside the workspace or protected, existing or not.
 */
export async function locate(path: string, bounds: Bounds): Promise<Located> {
	if (path.includes('\0')) {
		throw new AppError('usage', "A path can't contain a NUL character.");
	}

	const absolute = resolve(bounds.workspace, path);
	const real = await realPathOf(absolute);
	assertVisible(real ?? (await realParentOf(absolute)), path, bounds);
	if (real === undefined) {
		throw new AppError('not-found', `File not found: “${path}”.`, {hint: 'Call list_files to see the files.'});
	}

	return {real, shown: shownPath(real, bounds.workspace)};
}

/** A file that is open for reading; `real` and `shown` are its actual path. */
export type Opened = Located & {readonly handle: FileHandle; readonly size: number};

/** Throws if a file may not be opened. */
export type Guard = (file: Located) => Promise<void>;

/**
 * Opens a regular file of the workspace for reading, if `guard` allows it. Checks the opened file again, so that
 * swapping a folder for a link in between gains nothing. Never blocks: pipes and devices are refused before they are
 * read.
 */
export async function openInside(path: string, bounds: Bounds, guard?: Guard): Promise<Opened> {
	const located = await locate(path, bounds);
	await guard?.(located);
	const opened = await openLocated(located, bounds);
	if (opened.real !== located.real) {
		await guard?.(opened).catch(async (error: unknown) => {
			await opened.handle.close();
			throw error;
		});
	}

	return opened;
}

/** Opens a located path: the second half of `openInside`. */
export async function openLocated({real, shown}: Located, bounds: Bounds): Promise<Opened> {
	assertFile(await lstat(real), shown);
	// O_NONBLOCK: opening a pipe must not wait for its writer. O_NOFOLLOW: a name swapped for a link fails.
	const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)).catch(
		(error: NodeJS.ErrnoException) => {
			throw new AppError('failed', `Couldn't open “${shown}”: ${error.code}.`, {cause: error});
		},
	);
	try {
		const stats = await handle.stat();
		assertFile(stats, shown);
		const opened = await pathOfOpened(handle, real);
		assertVisible(opened, shown, bounds);
		return {real: opened, shown: shownPath(opened, bounds.workspace), handle, size: stats.size};
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** True for git's own data, our own state, and places with secrets of the user or the system. */
function isProtected(real: string, {workspace, hidden}: Bounds): boolean {
	const segments = relative(workspace, real).split(sep);
	return segments.some(segment => segment.toLowerCase() === '.git') || hidden.some(place => isInside(real, place));
}

function isInside(path: string, folder: string): boolean {
	const below = relative(folder, path);
	return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}

/** Returns a path relative to the workspace, with `/`; `.` for the workspace itself. */
function shownPath(real: string, workspace: string): string {
	return relative(workspace, real).replaceAll(sep, '/') || '.';
}

function assertVisible(real: string, path: string, bounds: Bounds): void {
	if (!isInside(real, bounds.workspace)) {
		throw new AppError('failed', `“${path}” is outside the working folder.`, {hint: 'Give a path inside it.'});
	}

	if (isProtected(real, bounds)) {
		throw new AppError('failed', `“${path}” is protected and never shown to a model.`);
	}
}

function assertFile(stats: {isFile: () => boolean; isDirectory: () => boolean}, path: string): void {
	if (stats.isDirectory()) {
		throw new AppError('usage', `“${path}” is a folder.`, {hint: 'Call list_files to see its files.'});
	}

	if (!stats.isFile()) {
		throw new AppError('failed', `“${path}” is not a regular file (a pipe, a socket or a device).`);
	}
}

/** Returns the actual path of an opened file. Linux tells it; elsewhere the path must still lead to the same file. */
async function pathOfOpened(handle: FileHandle, real: string): Promise<string> {
	if (process.platform === 'linux') {
		// The kernel adds this to the path of a removed file.
		return (await readlink(`/proc/self/fd/${handle.fd}`)).replace(/ \(deleted\)$/, '');
	}

	const now = await realpath(real);
	const [path, opened] = [await lstat(now), await handle.stat()];
	if (path.dev !== opened.dev || path.ino !== opened.ino) {
		throw new AppError('failed', 'The file was replaced while it was being opened.', {hint: 'Try again.'});
	}

	return now;
}

/** Returns the path without links; undefined if it leads nowhere. */
async function realPathOf(path: string): Promise<string | undefined> {
	try {
		return await realpath(path);
	} catch {
		return undefined;
	}
}

/** Returns the real path that a missing file would have: its nearest existing parent, and the remaining names. */
async function realParentOf(path: string): Promise<string> {
	const parent = dirname(path);
	const real = parent === path ? path : ((await realPathOf(parent)) ?? (await realParentOf(parent)));
	return resolve(real, relative(parent, path));
}
