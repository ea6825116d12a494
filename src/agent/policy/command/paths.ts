import {lstat, readdir, realpath, stat} from 'node:fs/promises';
import {dirname, isAbsolute, join} from 'node:path';
import {compileGlob} from '../../paths/glob.ts';
import {assertVisible, type Bounds} from '../bounds.ts';
import {isSecretFile} from '../secret-files.ts';

/** What a command does with a path: prints what is in the file, or only names, sizes and dates. */
export type Use = 'content' | 'names';

/**
 * Resolves a path as the kernel does: `..` after a link leads to the parent of the link's target. A missing file gets the
 * path that it would have. Returns undefined for a link that leads nowhere and for `..` after a missing folder.
 */
export async function physicalPath(path: string, folder: string): Promise<string | undefined> {
	let current = isAbsolute(path) ? '/' : folder;
	let isMissing = false;
	for (const name of path.split('/').filter(part => part !== '' && part !== '.')) {
		if (isMissing && name === '..') {
			return undefined;
		}

		const next = name === '..' ? dirname(current) : join(current, name);
		const real: string | undefined = isMissing ? undefined : await realpath(next).catch(() => undefined);
		if (real === undefined && (await lstat(next).catch(() => undefined))) {
			return undefined;
		}

		isMissing ||= real === undefined;
		current = real ?? next;
	}

	return current;
}

/** Returns why a command may not use a path unasked, as a clause; undefined if it may. */
export async function whyNotPath(
	path: string,
	use: Use,
	{folder, bounds}: {readonly folder: string; readonly bounds: Bounds},
): Promise<string | undefined> {
	const real = await physicalPath(path, folder);
	if (real === undefined || !isInside(real, bounds.workspace)) {
		return 'reads outside the working folder';
	}

	if (use === 'names') {
		return bounds.hidden.some(place => isInside(real, place)) ? 'reads a protected place' : undefined;
	}

	try {
		assertVisible(real, path, bounds);
	} catch {
		return 'reads a protected place';
	}

	if (isSecretFile(real)) {
		return 'reads a file whose name suggests secrets';
	}

	const stats = await stat(real).catch(() => undefined);
	return stats && !stats.isFile() && !stats.isDirectory() ? 'reads a pipe or a device' : undefined;
}

export function isInside(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

const maxNames = 5000;

/**
 * Returns the paths that the shell may put in place of a pattern for file names: at least all that it does, and the
 * pattern itself if it finds none. Returns undefined if there are too many to check.
 */
export async function expandPattern(pattern: string, folder: string): Promise<readonly string[] | undefined> {
	if (/[\\{]/.test(pattern)) {
		return undefined;
	}

	let found: readonly string[] = [pattern.startsWith('/') ? '/' : ''];
	let seen = 0;
	for (const segment of pattern.split('/').filter(Boolean)) {
		const next: string[] = [];
		const matches = compileGlob(segment);
		for (const path of found) {
			if (!/[*?]/.test(segment)) {
				next.push(`${path}${segment}/`);
				continue;
			}

			const parent = await physicalPath(path || '.', folder);
			const names = parent === undefined ? [] : ['.', '..', ...(await readdir(parent).catch(() => []))];
			seen += names.length;
			if (seen > maxNames) {
				return undefined;
			}

			// A pattern matches a leading dot only if it has one.
			const fitting = names.filter(name => matches(name) && (!name.startsWith('.') || segment.startsWith('.')));
			next.push(...fitting.map(name => `${path}${name}/`));
		}

		found = next;
	}

	return found.length > 0 ? found.map(path => path.replace(/\/$/, '')) : [pattern];
}
