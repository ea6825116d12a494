// Git's answer without a process of git: the files that it would read, as long as they are as it writes them.
import {readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import process from 'node:process';
import {statsOf} from '../paths/walk-folder.ts';

const maxBytes = 256 * 1024;

/** A name that is the same in every reading: no other characters, and nothing that git refuses. */
const branch = /^ref: (refs\/heads(?:\/(?![^/\n]*\.lock[/\n])[\w+=,#%-]+(?:\.[\w+=,#%-]+)*)+)\n$/;
const isId = /^(?!0+\n)[\da-f]{40}\n$/;
/** Settings by which a folder of git may be read in another way. */
const isUnusual = /extensions|repositoryformatversion(?!\s*=\s*0\s*$)/im;

/**
 * Returns the commit that is checked out in a folder outside of repositories, which is none, and in a usual repository.
 * Returns undefined if git is to be asked: about worktrees, submodules, bare repositories, other formats, links, files of
 * another user, a branch without a commit, and whatever has a byte that git itself would not have written.
 */
export async function readHead(folder: string): Promise<{readonly commit: string | undefined} | undefined> {
	try {
		const git = await findGit(folder);
		return {commit: git && (await commitOf(git))};
	} catch {
		return undefined;
	}
}

/** Returns the `.git` of the folder or of the nearest folder around it; undefined if there is none. Throws to ask git. */
async function findGit(start: string): Promise<string | undefined> {
	const device = (await statsOf(start))?.dev;
	for (let folder = start; ; folder = dirname(folder)) {
		const git = join(folder, '.git');
		const [own, stats, head, bare] = await Promise.all(
			[folder, git, join(git, 'HEAD'), join(folder, 'HEAD')].map(path => statsOf(path)),
		);
		if (own === undefined || own.dev !== device) {
			throw new Error('another file system');
		}

		if (head) {
			const isOwn = [own, stats].every(each => each?.isDirectory() && Number(each.uid) === process.geteuid?.());
			if (!isOwn) {
				throw new Error('a link, or of another user');
			}

			return git;
		}

		// Without a `HEAD` git takes it for any folder, as it does with one that a sandbox mounted.
		if (bare || (stats && !stats.isDirectory())) {
			throw new Error('another kind of repository');
		}

		if (folder === dirname(folder)) {
			return undefined;
		}
	}
}

async function commitOf(git: string): Promise<string> {
	const inGit = (name: string) => join(git, name);
	const [objects, refs, common] = await Promise.all(['objects', 'refs', 'commondir'].map(name => statsOf(inGit(name))));
	const [config, head = ''] = await Promise.all(['config', 'HEAD'].map(name => textOf(inGit(name))));
	if (!objects?.isDirectory() || !refs?.isDirectory() || common || config === undefined || isUnusual.test(config)) {
		throw new Error('another format');
	}

	const [, name] = branch.exec(head) ?? [];
	const commit =
		name === undefined ? head : ((await textOf(inGit(name))) ?? packedId(await textOf(inGit('packed-refs')), name));
	if (!isId.test(commit)) {
		throw new Error('no id');
	}

	return commit.trim();
}

/** Git searches this list by halves, so that it is what it seems only in the order of its names. */
function packedId(text = '', wanted: string): string {
	const lines = text.split('\n');
	const rows = lines.filter((line, index) => !/^\^[\da-f]{40}$/.test(line) && (index > 0 || !line.startsWith('# ')));
	let found = '';
	let last = '';
	for (const row of rows.slice(0, -1)) {
		const [, commit, name = ''] = /^([\da-f]{40}) (refs\/\S+)$/.exec(row) ?? [];
		if (name <= last) {
			throw new Error('another order');
		}

		last = name;
		found = name === wanted ? `${commit}\n` : found;
	}

	return found;
}

/** Returns the text of a small regular file; undefined if there is none. Throws for anything else. */
async function textOf(path: string): Promise<string | undefined> {
	const stats = await statsOf(path);
	if (stats && (!stats.isFile() || stats.size > maxBytes)) {
		throw new Error('no small file');
	}

	return stats && readFile(path, 'latin1');
}
