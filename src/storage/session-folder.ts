import {createHash} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {readdir, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isJsonObject, parseJson} from '../core/json.ts';
import {uuidSource} from '../core/uuid.ts';
import {errnoOf, explainFileError} from './file-error.ts';
import type {Home} from './home.ts';
import {tryLock} from './lock.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';
import {makePrivateFolder, sweepTemporaryFiles} from './private-folder.ts';

/** The place of a working folder's sessions. */
export type SessionFolder = {
	/** The working folder, a real path. */
	readonly folder: string;
	/** Its folder in `$SERVICE_HOME/sessions`, which may not exist yet. */
	readonly path: string;
};

/** The file of a session. */
export type SessionFile = {
	readonly id: string;
	readonly path: string;
	/** Its working folder; empty if that is unknown. */
	readonly folder: string;
};

/** Returns the place of a working folder's sessions. Links to a folder share its place. */
export async function sessionFolder(home: Home, folder: string): Promise<SessionFolder> {
	const real = await realpath(folder).catch(() => folder);
	return {folder: real, path: join(home.sessions, folderSlug(real))};
}

/** Returns a recognizable name for a folder, with a hash that distinguishes folders of the same name. */
export function folderSlug(folder: string): string {
	const name = basename(folder)
		.toLowerCase()
		.replace(/[^\p{Letter}\p{Number}]+/gu, '-')
		.slice(0, 40)
		.replace(/^-+|-+$/g, '');
	const hash = createHash('sha256').update(folder).digest('hex').slice(0, 10);
	return `${name || 'folder'}-${hash}`;
}

/**
 * Creates the private folder of a place, and sweeps what killed processes left in it. Throws AppError("failed"), as
 * `makePrivateFolder` does and for an error of the disk.
 */
export function makeSessionFolder({path}: SessionFolder): void {
	try {
		for (const place of [dirname(path), path]) {
			makePrivateFolder(place, {hint: 'Replace it with a folder of your own.'});
		}

		sweepTemporaryFiles(path);
		sweepLocks(path);
	} catch (error) {
		throw explainFileError(error, 'create', path);
	}
}

/** Sweeps what killed processes left beside the file of a session. If that fails, the next one does it. */
export function sweepSessionFolder(file: string): void {
	try {
		sweepTemporaryFiles(dirname(file));
		sweepLocks(dirname(file));
	} catch {
		// The session is what counts.
	}
}

/** Deletes the locks of sessions that have no file, because their process was killed before the first line. */
function sweepLocks(path: string): void {
	const names = new Set(readdirSync(path));
	for (const name of names) {
		if (sessionName.test(name.replace(lockEnd, '')) && !names.has(name.replace(lockEnd, ''))) {
			// Only that of a process that is gone can be had.
			const lock = tryLock(join(path, name));
			if ('release' in lock) {
				lock.release();
			}
		}
	}
}

/** Notes in the folder of a place which working folder it is of: the hash doesn't reveal it. Throws AppError("failed"). */
export async function noteFolder({folder, path}: SessionFolder): Promise<void> {
	// Also where a full disk left an empty one: without it, a session is resumed in any folder.
	if (readNote(path) === '') {
		await replaceFile(noteIn(path), `${JSON.stringify({folder})}\n`);
	}
}

/** Does both. */
export async function createSessionFolder(place: SessionFolder): Promise<void> {
	makeSessionFolder(place);
	await noteFolder(place);
}

/** Returns the session files of a working folder, or of all, in no particular order. Unreadable places are left out. */
export async function sessionFiles(home: Home, folder?: string): Promise<readonly SessionFile[]> {
	const places = folder === undefined ? await allPlaces(home) : [(await sessionFolder(home, folder)).path];
	const files = await Promise.all(
		places.map(async path => {
			const names = (await namesIn(path)).filter(name => sessionName.test(name));
			const owner = names.length > 0 ? readNote(path) : '';
			return names.map(name => ({id: name.slice(0, -'.jsonl'.length), path: join(path, name), folder: owner}));
		}),
	);
	return files.flat();
}

const lockEnd = /\.lock$/;
const sessionName = new RegExp(String.raw`^${uuidSource}\.jsonl$`);

async function allPlaces(home: Home): Promise<readonly string[]> {
	return (await namesIn(home.sessions)).map(name => join(home.sessions, name));
}

async function namesIn(path: string): Promise<readonly string[]> {
	try {
		return await readdir(path);
	} catch (error) {
		if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') {
			return [];
		}

		throw explainFileError(error, 'read', path);
	}
}

function noteIn(path: string): string {
	return join(path, 'folder.json');
}

function readNote(path: string): string {
	try {
		const note = parseJson(readPrivateFile(noteIn(path)) ?? '');
		return isJsonObject(note) && typeof note['folder'] === 'string' ? note['folder'] : '';
	} catch {
		// The list is useful without the name of this folder.
		return '';
	}
}
