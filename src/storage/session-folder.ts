import {createHash} from 'node:crypto';
import {readdir, realpath, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {isJsonObject, parseJson} from '../core/json.ts';
import {uuidSource} from '../core/uuid.ts';
import {errnoOf, explainFileError} from './file-error.ts';
import type {Home} from './home.ts';
import {readPrivateFile, syncFolder} from './private-file.ts';
import {makePrivateFolder} from './private-folder.ts';

/** Where the sessions of one working folder lie. */
export type SessionFolder = {
	/** The working folder, a real path. */
	readonly folder: string;
	/** The folder in `$SERVICE_HOME/sessions` that keeps its sessions; it need not exist yet. */
	readonly path: string;
};

/** Where a session lies. */
export type SessionFile = {
	readonly id: string;
	readonly path: string;
	/** The working folder that it belongs to, empty where its note was lost. */
	readonly folder: string;
};

/** Finds the place of a working folder's sessions; links to the same folder share one. */
export async function sessionFolder(home: Home, folder: string): Promise<SessionFolder> {
	const real = await realpath(folder).catch(() => folder);
	return {folder: real, path: join(home.sessions, folderSlug(real))};
}

/** A folder's name that a person recognises, with enough of a hash that two folders of one name stay apart. */
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
 * Creates the place, for the user alone, with a note of whose it is: a hash cannot be read backwards. Throws `AppError`
 * (`failed`) as `makePrivateFolder` does, and where the disk refuses.
 */
export async function createSessionFolder({folder, path}: SessionFolder): Promise<void> {
	try {
		for (const place of [dirname(path), path]) {
			makePrivateFolder(place, {hint: 'Replace it by a folder of your own.'});
		}

		await writeFile(noteIn(path), `${JSON.stringify({folder})}\n`, {flag: 'wx', mode: 0o600});
		await syncFolder(path);
	} catch (error) {
		if (errnoOf(error) !== 'EEXIST') {
			throw explainFileError(error, 'create', path);
		}
	}
}

/** All session files of the working folder, or of every one, in no particular order. Unreadable places are left out. */
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
		// A list of sessions is worth more than the name of one folder.
		return '';
	}
}
