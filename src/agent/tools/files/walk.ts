import type {Dirent} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import ignore, {type Ignore} from 'ignore';

const maxEntries = 50_000;
const maxDepth = 40;
/** Most characters of a `.gitignore`; a larger one is ignored. */
const maxRulesLength = 256 * 1024;

/** The rules of a `.gitignore`, for the folder that holds it. */
type Rules = {readonly prefix: string; readonly ignores: Ignore};

/** Files below a folder, by their paths in it. */
export type FilesBelow = {
	readonly paths: readonly string[];
	/** The folders that couldn't be read; '' is the folder itself. */
	readonly closed: readonly string[];
	/** False if a limit was reached. */
	readonly complete: boolean;
};

/**
 * Returns the files below a folder, except those in `.gitignore` files, `.git` and `node_modules`, by the rules of the
 * repository that each is in. Links are listed but
 * never followed; pipes, sockets and devices are left out.
 */
export async function walk(root: string, signal: AbortSignal): Promise<FilesBelow> {
	const paths: string[] = [];
	const closed: string[] = [];
	const folders: {readonly path: string; readonly depth: number; readonly rules: readonly Rules[]}[] = [
		{path: '', depth: 0, rules: []},
	];
	let entries = 0;
	for (let folder = folders.shift(); folder; folder = folders.shift()) {
		signal.throwIfAborted();
		const {path, depth} = folder;
		const found = await readdir(join(root, path), {withFileTypes: true}).catch(() => undefined);
		if (!found) {
			closed.push(path);
			continue;
		}

		// A repository within another one has its own rules alone.
		const isRepository = path !== '' && found.some(({name}) => name === '.git');
		const above = isRepository ? [] : folder.rules;
		const rules = [...above, ...(await rulesOf(join(root, path), path, found))];
		for (const entry of found) {
			if (++entries > maxEntries) {
				return {paths, closed, complete: false};
			}

			const child = path ? `${path}/${entry.name}` : entry.name;
			const isFolder = entry.isDirectory();
			if (entry.name === '.git' || (isFolder && entry.name === 'node_modules') || isIgnored(child, isFolder, rules)) {
				continue;
			}

			if (isFolder && depth < maxDepth) {
				folders.push({path: child, depth: depth + 1, rules});
			} else if (entry.isFile() || entry.isSymbolicLink()) {
				paths.push(child);
			}
		}
	}

	return {paths, closed, complete: true};
}

async function rulesOf(folder: string, path: string, entries: readonly Dirent[]): Promise<readonly Rules[]> {
	// Only a regular file: reading a pipe of that name would block.
	const entry = entries.find(({name}) => name === '.gitignore');
	const text = entry?.isFile() ? await readFile(join(folder, entry.name), 'utf8').catch(() => '') : '';
	return text && text.length <= maxRulesLength ? [{prefix: path && `${path}/`, ignores: ignore().add(text)}] : [];
}

/** The innermost file with a matching rule decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
	for (const {prefix, ignores} of rules.toReversed()) {
		const {ignored, unignored} = ignores.test(path.slice(prefix.length) + (isFolder ? '/' : ''));
		if (ignored || unignored) {
			return ignored;
		}
	}

	return false;
}
