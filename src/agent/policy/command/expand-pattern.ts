import {readdir} from 'node:fs/promises';
import {compileGlob} from '../../tools/files/glob.ts';
import {physicalPath} from './paths.ts';

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
