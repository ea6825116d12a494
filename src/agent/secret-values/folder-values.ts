import {constants} from 'node:fs';
import {open, realpath} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import {chosenOnce, listFolder} from '../paths/search-folder.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {valuesInFile} from './values-in-file.ts';

const maxFiles = 300;
const maxFileBytes = 1024 * 1024;
const maxBytes = 8 * 1024 * 1024;
const maxValues = 2000;
/** How long a list of files may be used again. */
const searchIntervalMs = 3000;

/** What was read of a file, and what it was then. */
type Kept = {readonly stamp: string; readonly values: readonly string[]};

type Folder = {
	files: readonly string[];
	/** When `files` was found, by the clock of `performance`. */
	searchedAt: number;
	readonly kept: Map<string, Kept>;
	values: readonly string[];
};

const folders = new Map<string, Folder>();

/**
 * Returns the secret values in the secret files of a folder, at every level: programs may read them, but their output goes to a
 * model. The same list as long as nothing changed. A file is read again only if it changed; files are searched for again if
 * `isAnew`, or after three seconds. Packages and the data of git are left out. Never throws.
 */
export async function folderValues(workspace: string, isAnew = false): Promise<readonly string[]> {
	const folder = folders.get(workspace) ?? {
		files: [],
		searchedAt: Number.NEGATIVE_INFINITY,
		kept: new Map(),
		values: [],
	};
	folders.set(workspace, folder);
	if (isAnew || performance.now() - folder.searchedAt > searchIntervalMs) {
		folder.searchedAt = performance.now();
		folder.files = secretFiles(await listFolder(workspace), workspace);
	}

	let bytes = 0;
	const found = new Set<string>();
	for (const path of folder.files) {
		const {values, size} = await valuesOf(path, workspace, folder.kept, bytes).catch(() => ({values: [], size: 0}));
		bytes += size;
		for (const value of values) {
			found.add(value);
		}
	}

	const values = [...found].slice(0, maxValues);
	const isSame =
		values.length === folder.values.length && values.every((value, index) => value === folder.values[index]);
	folder.values = isSame ? folder.values : values;
	return folder.values;
}

const secretFiles = chosenOnce((paths, workspace) =>
	paths
		.map(path => path.slice(workspace.length + 1).replaceAll(sep, '/'))
		.filter(shown => isSecretFile(shown) && !/(?:^|\/)node_modules\//.test(shown))
		.sort((one, other) => one.split('/').length - other.split('/').length || (one < other ? -1 : 1))
		.slice(0, maxFiles)
		.map(shown => join(workspace, shown)),
);

async function valuesOf(path: string, workspace: string, kept: Map<string, Kept>, bytesBefore: number) {
	// A link may lead to a file that is elsewhere: a program reads it all the same.
	// Opening a pipe must not wait for its other end.
	const handle = await open(await realpath(path), constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const stats = await handle.stat();
		const stamp = `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
		const before = kept.get(path);
		const size = Math.min(stats.size, maxFileBytes);
		if (before?.stamp === stamp) {
			return {values: before.values, size};
		}

		if (!stats.isFile() || bytesBefore + size > maxBytes) {
			return {values: [], size: 0};
		}

		const {buffer, bytesRead} = await handle.read(Buffer.alloc(size), 0, size, 0);
		const values = valuesInFile(relative(workspace, path), buffer.toString('utf8', 0, bytesRead));
		kept.set(path, {stamp, values});
		return {values, size};
	} finally {
		await handle.close();
	}
}
