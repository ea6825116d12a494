import type {Dirent} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import ignore, {type Ignore} from 'ignore';

/** So many entries are looked at, and so many folders deep. */
const mostEntries = 50_000;
const deepest = 40;
/** A larger .gitignore is not one, in characters. */
const largestRules = 256 * 1024;

/** Rules that hold below the folder they were found in. */
type Rules = {readonly prefix: string; readonly ignores: Ignore};

/**
 * The files below a folder, without what `.gitignore` files in it name, `.git` and `node_modules`. Links are listed and
 * never followed; pipes, sockets and devices are left out. `complete` is false where the limit was reached.
 */
export async function walk(root: string, signal: AbortSignal): Promise<{paths: readonly string[]; complete: boolean}> {
	const paths: string[] = [];
	const folders: {readonly path: string; readonly depth: number; readonly rules: readonly Rules[]}[] = [
		{path: '', depth: 0, rules: []},
	];
	let entries = 0;
	for (let folder = folders.shift(); folder; folder = folders.shift()) {
		signal.throwIfAborted();
		const {path, depth} = folder;
		const found = await read(join(root, path));
		const rules = [...folder.rules, ...(await rulesOf(join(root, path), path, found))];
		for (const entry of found) {
			if (++entries > mostEntries) {
				return {paths, complete: false};
			}

			const child = path ? `${path}/${entry.name}` : entry.name;
			const isFolder = entry.isDirectory();
			if (entry.name === '.git' || (isFolder && entry.name === 'node_modules') || isIgnored(child, isFolder, rules)) {
				continue;
			}

			if (isFolder && depth < deepest) {
				folders.push({path: child, depth: depth + 1, rules});
			} else if (entry.isFile() || entry.isSymbolicLink()) {
				paths.push(child);
			}
		}
	}

	return {paths, complete: true};
}

/** A folder that cannot be read is an empty one. */
async function read(folder: string): Promise<readonly Dirent[]> {
	return readdir(folder, {withFileTypes: true}).catch(() => []);
}

async function rulesOf(folder: string, path: string, entries: readonly Dirent[]): Promise<readonly Rules[]> {
	// Only a regular file: reading a pipe of that name would wait for ever.
	const entry = entries.find(({name}) => name === '.gitignore');
	const text = entry?.isFile() ? await readFile(join(folder, entry.name), 'utf8').catch(() => '') : '';
	return text && text.length <= largestRules ? [{prefix: path && `${path}/`, ignores: ignore().add(text)}] : [];
}

/** The innermost file that has something to say about a path decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
	for (const {prefix, ignores} of rules.toReversed()) {
		const {ignored, unignored} = ignores.test(path.slice(prefix.length) + (isFolder ? '/' : ''));
		if (ignored || unignored) {
			return ignored;
		}
	}

	return false;
}
