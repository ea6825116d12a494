import {constants} from 'node:fs';
import {type FileHandle, lstat, open, readlink, realpath} from 'node:fs/promises';
import {dirname, isAbsolute, relative, resolve, sep} from 'node:path';
import {AppError} from '../../../core/error.ts';
import {type Places, protectedPlaces} from '../../policy/protected-places.ts';

/** What the tools may see. */
export type Bounds = {
	/** The folder they work in, a real path. */
	readonly workspace: string;
	/** Real paths of what is never shown to a model, as far as the working folder holds it or lies in it. */
	readonly hidden: readonly string[];
};

export type Located = {
	readonly real: string;
	/** Relative to the workspace, with `/`; `.` for the workspace itself. */
	readonly shown: string;
};

/** The bounds of one call of a tool; `workspace` is a real path. */
export async function boundsOf(workspace: string, places: Places): Promise<Bounds> {
	const real = await Promise.all(
		protectedPlaces(places).map(async place => (await realPathOf(place)) ?? (await realParentOf(place))),
	);
	return {workspace, hidden: real.filter(place => isInside(place, workspace) || isInside(workspace, place))};
}

/** The hidden places below a folder, relative to it, with `/`. */
export function hiddenBelow(folder: string, {hidden}: Bounds): readonly string[] {
	return hidden.filter(place => place !== folder && isInside(place, folder)).map(place => shownPath(place, folder));
}

/**
 * Resolves a path as a model wrote it, through every link (SAFETY 13). Throws `AppError`: `not-found` for what does not
 * exist, `failed` for what is outside the workspace or protected, existing or not.
 */
export async function locate(path: string, bounds: Bounds): Promise<Located> {
	if (path.includes('\0')) {
		throw new AppError('usage', 'A path cannot contain a NUL character.');
	}

	const absolute = resolve(bounds.workspace, path);
	const real = await realPathOf(absolute);
	assertVisible(real ?? (await realParentOf(absolute)), path, bounds);
	if (real === undefined) {
		throw new AppError('not-found', `There is no “${path}”.`, {hint: 'list_files shows what there is.'});
	}

	return {real, shown: shownPath(real, bounds.workspace)};
}

/** A file that is open for reading; `real` and `shown` say where it really is. */
export type Opened = Located & {readonly handle: FileHandle; readonly size: number};

/** Lets a file be opened, or throws. */
export type Guard = (file: Located) => Promise<void>;

/**
 * Opens a regular file of the workspace for reading, if `guard` lets it. The file that was really opened is checked
 * again, so that a folder swapped for a link in between gains nothing. Never waits: a pipe or a device is refused
 * before it is read.
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

/** The second half of `openInside`, for a path that was located before. */
export async function openLocated({real, shown}: Located, bounds: Bounds): Promise<Opened> {
	assertFile(await lstat(real), shown);
	// Without O_NONBLOCK the opening of a pipe waits for its writer; with O_NOFOLLOW a name swapped for a link fails.
	const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)).catch(
		(error: NodeJS.ErrnoException) => {
			throw new AppError('failed', `“${shown}” cannot be opened: ${error.code}.`, {cause: error});
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

/** True for what no tool may show: git's own data, our own state, and where the user and the system keep secrets. */
function isProtected(real: string, {workspace, hidden}: Bounds): boolean {
	const segments = relative(workspace, real).split(sep);
	return segments.some(segment => segment.toLowerCase() === '.git') || hidden.some(place => isInside(real, place));
}

function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A path below a folder as it is shown: with `/`, and `.` for the folder itself. */
export function shownPath(real: string, workspace: string): string {
	return relative(workspace, real).replaceAll(sep, '/') || '.';
}

function assertVisible(real: string, path: string, bounds: Bounds): void {
	if (!isInside(real, bounds.workspace)) {
		throw new AppError('failed', `“${path}” is outside the working folder.`, {hint: 'Give a path inside it.'});
	}

	if (isProtected(real, bounds)) {
		throw new AppError('failed', `“${path}” is protected and is not shown to a model.`);
	}
}

function assertFile(stats: {isFile: () => boolean; isDirectory: () => boolean}, path: string): void {
	if (stats.isDirectory()) {
		throw new AppError('usage', `“${path}” is a folder.`, {hint: 'list_files shows what is in it.'});
	}

	if (!stats.isFile()) {
		throw new AppError('failed', `“${path}” is not a regular file (a pipe, a socket or a device).`);
	}
}

/** Where an opened file really is. Linux says it; elsewhere the path must still lead, without links, to the same file. */
async function pathOfOpened(handle: FileHandle, real: string): Promise<string> {
	if (process.platform === 'linux') {
		// The kernel adds this to the path of a file that was removed meanwhile.
		return (await readlink(`/proc/self/fd/${handle.fd}`)).replace(/ \(deleted\)$/, '');
	}

	const now = await realpath(real);
	const [path, opened] = [await lstat(now), await handle.stat()];
	if (path.dev !== opened.dev || path.ino !== opened.ino) {
		throw new AppError('failed', 'The file was replaced while it was opened.', {hint: 'Try again.'});
	}

	return now;
}

/** The path without links, undefined where it leads nowhere. */
async function realPathOf(path: string): Promise<string | undefined> {
	try {
		return await realpath(path);
	} catch {
		return undefined;
	}
}

/** The real path that a missing file would have: its nearest existing parent, and the rest of the names. */
async function realParentOf(path: string): Promise<string> {
	const parent = dirname(path);
	const real = parent === path ? path : ((await realPathOf(parent)) ?? (await realParentOf(parent)));
	return resolve(real, relative(parent, path));
}
