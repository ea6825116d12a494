import type {Dirent} from 'node:fs';
import {lstat, readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {matchesWord} from '../rules/command-pattern.ts';

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
export async function revealedBy(
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
export function revealedIn({patterns, hasTypes}: Revealing, name: string, isFolder: boolean): boolean {
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
