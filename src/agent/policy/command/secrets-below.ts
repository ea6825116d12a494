import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {assertVisible, type Bounds} from '../../tools/files/bounds.ts';
import {isSecretFile} from '../secret-files.ts';
import {type Revealing, revealedBy, revealedIn} from './revealed-files.ts';

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
