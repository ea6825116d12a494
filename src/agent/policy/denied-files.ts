import type {Stats} from 'node:fs';
import {realpath} from 'node:fs/promises';
import {dirname, join, relative, sep} from 'node:path';
import {compileGlob} from '../paths/glob.ts';
import {foldedPath} from '../paths/path-text.ts';
import {searchFolder} from '../paths/search-folder.ts';
import {denial, type FileRules, fileRuleTools, type Rule} from './rules/rule.ts';

/** The files that rules deny, by every name that they have (SAFETY 14). */
export type DeniedFiles = {
	/**
	 * Returns the rule that denies an absolute path, as it is written, or as a link leads to it. A rule for a folder denies
	 * everything in it.
	 */
	readonly by: (path: string) => Rule | undefined;
	/** Throws `AppError("failed")` if a rule denies one of these paths. */
	readonly assertAllowed: (...paths: readonly string[]) => void;
	/** Does the same for an open file by the other names that hard links give it. */
	readonly assertOpened: (path: string, stats: Pick<Stats, 'ino' | 'nlink'>) => Promise<void>;
	/** False if the folder was too large to find every link in it. */
	readonly isComplete: boolean;
};

/** Most names of a file that links in links give it. */
const maxNames = 200;
/** Reading and changing: what a rule denies to be read can't be changed either, because a change shows it. */
const denyingTools: Readonly<Record<'read' | 'edit', ReadonlyArray<Rule['tool']>>> = {
	read: fileRuleTools.read,
	edit: [...fileRuleTools.edit, ...fileRuleTools.read],
};

/** Returns what the rules deny to read or to edit; undefined if they deny nothing, which costs nothing. */
export async function deniedFiles(
	{folder, entries}: FileRules,
	use: 'read' | 'edit',
): Promise<DeniedFiles | undefined> {
	const denying = entries.filter(({tool, effect}) => effect === 'deny' && denyingTools[use].includes(tool));
	if (denying.length === 0) {
		return undefined;
	}

	const tests = denying.map(rule => ({rule, matches: deniedPaths(rule)}));
	const {namesOf, isComplete} = await linkNames(folder);
	const by = (path: string) => {
		for (const name of namesOf(path)) {
			const shown = foldedPath(relative(folder, name).replaceAll(sep, '/'));
			const found = tests.find(({matches}) => matches(shown));
			if (found) {
				return found.rule;
			}
		}

		return undefined;
	};
	const assertAllowed = (...paths: readonly string[]) => {
		const [rule] = paths.flatMap(path => by(path) ?? []);
		if (rule) {
			throw denial(rule);
		}
	};
	return {
		by,
		assertAllowed,
		async assertOpened(path, {ino, nlink}) {
			const isSame = (stats: Stats) => stats.ino === ino;
			const others = nlink > 1 ? await searchFolder(folder, ['-inum', String(ino), '-print0'], isSame) : {paths: []};
			assertAllowed(path, ...others.paths);
		},
		isComplete,
	};
}

/** Returns a test for folded paths, relative to the folder of the rules: they or a folder that they are in match. */
export function deniedPaths({pattern}: Rule): (shown: string) => boolean {
	if (pattern === undefined) {
		return () => true;
	}

	const glob = foldedPath(pattern)
		.split('/')
		.filter((name, index) => name !== '' && (name !== '.' || index === 0))
		.join('/');
	if (glob === '.') {
		return () => true;
	}

	// `./name` is what is in the working folder itself, `name` anything of that name in any folder.
	const isTop = glob.startsWith('./') && !glob.includes('/', 2);
	const matchesGlob = compileGlob(glob);
	// A name may have characters that are wildcards in a pattern.
	const plain = glob.replace(/^\.\//, '');
	const matches = (path: string) => matchesGlob(path) || path === plain;
	return shown => {
		// The name of a folder may have nothing but a dot and what is invisible: the pattern has lost it, too.
		const names = shown.split('/').filter((name, index, all) => !/^\.?$/.test(name) || index === all.length - 1);
		return isTop ? matches(names[0] ?? '') : names.some((_, index) => matches(names.slice(0, index + 1).join('/')));
	};
}

/** Returns what names files by every link in a folder that leads to them, or to a folder that they are in. */
async function linkNames(folder: string) {
	const {paths, isComplete} = await searchFolder(folder, ['-type', 'l', '-print0'], stats => stats.isSymbolicLink());
	const links = new Map<string, string[]>();
	const targets = await Promise.all(paths.map(path => realpath(path).catch(() => undefined)));
	for (const [index, target] of targets.entries()) {
		if (target !== undefined) {
			links.set(target, [...(links.get(target) ?? []), paths[index] ?? '']);
		}
	}

	const namesOf = (path: string): ReadonlySet<string> => {
		const names = new Set([path]);
		if (links.size === 0) {
			return names;
		}

		for (const name of names) {
			for (let part = name; names.size < maxNames; part = dirname(part)) {
				for (const link of links.get(part) ?? []) {
					names.add(join(link, relative(part, name)));
				}

				if (part === dirname(part)) {
					break;
				}
			}
		}

		return names;
	};
	return {namesOf, isComplete};
}
