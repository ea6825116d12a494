import {constants} from 'node:fs';
import {type FileHandle, lstat, open, readlink, realpath} from 'node:fs/promises';
import {dirname, isAbsolute, relative, resolve, sep} from 'node:path';
import {AppError} from '../../core/error.ts';
import {asciiJson, foldedPath, spellPath} from '../paths/path-text.ts';
import type {DeniedFiles} from './denied-files.ts';
import {type Places, protectedPlaces, unwritablePlaces} from './protected-places.ts';
import type {FileRules} from './rules/rule.ts';

const maxPathLength = 4096;
const maxFolders = 256;

/** What the tools may see. */
export type Bounds = {
	/** The real path of the working folder. */
	readonly workspace: string;
	/** Real paths that are never shown to a model, if the working folder contains them or is in them. */
	readonly hidden: readonly string[];
	/** Real paths of files elsewhere that may be read all the same: long outputs of commands. */
	readonly outputFiles?: ReadonlySet<string>;
	/** What the user's rules deny; undefined if that is nothing. */
	readonly denied?: DeniedFiles | undefined;
};

export type Located = {
	readonly real: string;
	/** Relative to the workspace, with `/`; `.` for the workspace itself. */
	readonly shown: string;
};

/** Returns the bounds of one tool call that reads. `workspace` is a real path. */
export async function boundsOf(workspace: string, places: Places, outputFiles?: ReadonlySet<string>): Promise<Bounds> {
	const [bounds, denied] = await Promise.all([
		boundsWithout(protectedPlaces(places), workspace),
		deniedBy(places.rules?.(), 'read'),
	]);
	return {...bounds, denied, ...(outputFiles && {outputFiles})};
}

/**
 * Returns the bounds of one tool call that writes. `workspace` is a real path. What may not be read may not be written: a
 * change shows what it replaces.
 */
export async function writeBoundsOf(workspace: string, places: Places): Promise<Bounds> {
	const [bounds, denied] = await Promise.all([
		unwritablePlaces(places).then(unwritable => boundsWithout(unwritable, workspace)),
		deniedBy(places.rules?.(), 'read'),
	]);
	return {...bounds, denied};
}

/** Returns the files that rules deny to read or to edit; undefined if there are none. Loads what finds them only then. */
export async function deniedBy(rules: FileRules | undefined, use: 'read' | 'edit'): Promise<DeniedFiles | undefined> {
	return rules?.entries.some(({effect}) => effect === 'deny')
		? (await import('./denied-files.ts')).deniedFiles(rules, use)
		: undefined;
}

async function boundsWithout(places: readonly string[], workspace: string): Promise<Bounds> {
	// Most places don't exist, and have the same few parents, which often don't exist either.
	const looked = new Map<string, Promise<string | undefined>>();
	const look = (path: string): Promise<string | undefined> => {
		const real = looked.get(path) ?? lookBelowParent(path);
		looked.set(path, real);
		return real;
	};
	const lookBelowParent = async (path: string) => {
		const parent = dirname(path);
		return parent === path || (await look(parent)) !== undefined ? realPathOf(path) : undefined;
	};
	const real = await Promise.all(places.map(async place => (await look(place)) ?? (await realParentOf(place, look))));
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
	const {exists, ...located} = await locateTarget(path, bounds);
	if (!exists) {
		throw new AppError('not-found', `File not found: “${path}”.`, {hint: 'Call list_files to see the files.'});
	}

	return located;
}

/** Resolves the path of a file that may not exist yet. Throws like `locate` for any other reason. */
export async function locateTarget(path: string, bounds: Bounds): Promise<Located & {readonly exists: boolean}> {
	if (path.includes('\0')) {
		throw new AppError('usage', "A path can't contain a NUL character.");
	}

	// No system opens a longer one, and each missing folder costs a look.
	if (path.length > maxPathLength || path.split(/[/\\]/).length > maxFolders) {
		throw new AppError('usage', `The path is too long: at most ${maxPathLength} characters and ${maxFolders} folders.`);
	}

	const absolute = resolve(bounds.workspace, path);
	const exact = await realPathOf(absolute);
	const spelled = exact === undefined ? await spellPath(absolute) : undefined;
	const found = spelled && spelled.path !== absolute ? await realPathOf(spelled.path) : exact;
	const real = found ?? (await realParentOf(spelled?.path ?? absolute));
	assertVisible(real, path, bounds);
	if (spelled && spelled.lookAlikes.length > 0) {
		throw new AppError('conflict', `Several names look like “${path}”, and none is exactly that.`, {
			hint: `Give one of them as JSON writes it: ${spelled.lookAlikes.map(asciiJson).join(', ')}.`,
		});
	}

	if (found === undefined) {
		await (await import('./unopenable.ts')).assertNothingAt(real, path);
	}

	return {real, shown: shownPath(real, bounds.workspace), exists: found !== undefined};
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
		await bounds.denied?.assertOpened(opened, stats);
		return {real: opened, shown: shownPath(opened, bounds.workspace), handle, size: stats.size};
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** True for git's own data, our own state, and places with secrets of the user or the system. */
function isProtected(real: string, {workspace, hidden}: Bounds): boolean {
	const segments = relative(workspace, real).split(sep);
	return (
		segments.some(isGitFolder) ||
		hidden.some(place => isInside(real, place) || isInside(foldedPath(real), foldedPath(place)))
	);
}

/** True for any name that a file system may take for `.git`: other cases, invisible characters, the short name of DOS. */
function isGitFolder(segment: string): boolean {
	return /^(?:\.git|git~\d)$/.test(foldedPath(segment).replace(/[ .]+$/, ''));
}

function isInside(path: string, folder: string): boolean {
	const below = relative(folder, path);
	return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}

/** Returns a path relative to the workspace, with `/`; `.` for the workspace itself. */
function shownPath(real: string, workspace: string): string {
	return relative(workspace, real).replaceAll(sep, '/') || '.';
}

/**
 * Throws `AppError("failed")` for a path that a tool may not use: outside of the working folder, protected, or denied by a rule.
 * `real` is its real path, `path` as it was given.
 */
export function assertVisible(real: string, path: string, bounds: Bounds): void {
	if (bounds.outputFiles?.has(real)) {
		return;
	}

	if (!isInside(real, bounds.workspace)) {
		throw new AppError('failed', `“${path}” is outside the working folder.`, {hint: 'Give a path inside it.'});
	}

	if (isProtected(real, bounds)) {
		throw new AppError('failed', `“${path}” is protected. Tools never read or write it.`);
	}

	bounds.denied?.assertAllowed(real, resolve(bounds.workspace, path));
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
export async function pathOfOpened(handle: FileHandle, real: string): Promise<string> {
	if (process.platform === 'linux') {
		const opened = await readlink(`/proc/self/fd/${handle.fd}`);
		// The kernel adds this to the path of a removed file, but a name may also end so.
		return opened === real ? opened : opened.replace(/ \(deleted\)$/, '');
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
async function realParentOf(path: string, look = realPathOf): Promise<string> {
	const parent = dirname(path);
	const real = parent === path ? path : ((await look(parent)) ?? (await realParentOf(parent, look)));
	return resolve(real, relative(parent, path));
}
