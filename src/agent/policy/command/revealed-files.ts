import type {Dirent} from 'node:fs';
import {lstat, readdir, readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {assertVisible, type Bounds} from '../bounds.ts';
import {matchesWord} from '../rules/command-pattern.ts';
import {isSecretFile} from '../secret-files.ts';

/**
 * What makes ripgrep search hidden files without `--hidden`: each pattern that a file must match, a file type, and each line
 * with `!` of an ignore file.
 */
export type Revealing = {
	readonly patterns: readonly string[];
	/** True if files of a type are searched, hidden ones of it as well. */
	readonly hasTypes: boolean;
};

const ignoreFiles = ['.gitignore', '.ignore', '.rgignore'];
const maxIgnoreBytes = 256 * 1024;

/** Adds what the ignore files of a folder reveal, and for a whole search also those of its parents. */
async function revealedBy(
	revealing: Revealing,
	folder: string,
	entries?: readonly Pick<Dirent, 'name'>[],
): Promise<Revealing> {
	const paths = entries
		? ignoreFiles.filter(name => entries.some(entry => entry.name === name)).map(name => join(folder, name))
		: [folder, ...parentsOf(folder)].flatMap(parent =>
				[...ignoreFiles, join('.git', 'info', 'exclude')].map(name => join(parent, name)),
			);
	const lines = await Promise.all(paths.map(linesWithMark));
	const added = lines.flat();
	return added.length > 0 ? {...revealing, patterns: [...revealing.patterns, ...added]} : revealing;
}

/** True if a hidden file or folder may be searched. Takes any part of a pattern for the name, and wildcards generously. */
function revealedIn({patterns, hasTypes}: Revealing, name: string, isFolder: boolean): boolean {
	return (
		(hasTypes && !isFolder) || patterns.some(pattern => pattern.split('/').some(part => matchesLoosely(part, name)))
	);
}

function matchesLoosely(part: string, name: string): boolean {
	return /[{[\\]/.test(part) || matchesWord(part.toLowerCase().split(/[*?]+/), name.toLowerCase());
}

async function linesWithMark(path: string): Promise<readonly string[]> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) {
		return [];
	}

	// What can't be read as a whole may reveal anything.
	if (!stats.isFile() || stats.size > maxIgnoreBytes) {
		return ['*'];
	}

	const text = await readFile(path, 'utf8').catch(() => '!*');
	return text
		.split(/\r?\n/)
		.filter(line => line.startsWith('!'))
		.map(line => line.slice(1).trim());
}

function parentsOf(folder: string): readonly string[] {
	const parent = dirname(folder);
	return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

const maxEntries = 20_000;

type Scope = {
	readonly bounds: Bounds;
	/** True if hidden files and folders are searched as well; otherwise the patterns that make the program search some. */
	readonly hidden: boolean | Revealing;
	/** True if links are followed: they may lead anywhere. */
	readonly followsLinks: boolean;
	/** True for a folder's name that is left out. */
	readonly excludes: (name: string) => boolean;
	/** True for a file's name that is searched. */
	readonly includes: (name: string) => boolean;
};

/**
 * Returns why the files below a folder may not be searched unasked, as a clause. Packages in `node_modules` are public,
 * so their example keys don't count.
 */
export async function whyNotBelow(
	root: string,
	{bounds, hidden, followsLinks, excludes, includes}: Scope,
): Promise<string | undefined> {
	let revealing = typeof hidden === 'boolean' ? undefined : await revealedBy(hidden, root);
	const isSearched = (name: string, isFolder: boolean) =>
		!name.startsWith('.') || hidden === true || (revealing !== undefined && revealedIn(revealing, name, isFolder));
	const folders = [root];
	let seen = 0;
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
		seen += entries.length;
		if (seen > maxEntries) {
			return 'searches too many files to check their names';
		}

		revealing = revealing && (await revealedBy(revealing, folder, entries));
		for (const entry of entries) {
			const path = join(folder, entry.name);
			if (!isSearched(entry.name, entry.isDirectory())) {
				continue;
			}

			if (entry.isSymbolicLink() && followsLinks) {
				return 'follows links';
			}

			if (entry.isDirectory()) {
				if (!excludes(entry.name) && entry.name !== 'node_modules') {
					folders.push(path);
				}
			} else if (includes(entry.name) && (isSecretFile(path) || !isVisible(path, bounds))) {
				return 'searches files whose names suggest secrets, or the data of git';
			}
		}
	}

	return undefined;
}

function isVisible(path: string, bounds: Bounds): boolean {
	try {
		assertVisible(path, path, bounds);
		return true;
	} catch {
		return false;
	}
}
