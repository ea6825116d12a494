import {readdir} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import {AppError, messageOf} from '../../core/error.ts';
import {normalizeRemote} from '../../core/git-remote.ts';
import {existing} from '../paths/existing.ts';
import {readOnlyEnvironment} from '../policy/command/git/git-environment.ts';
import {findRepository} from '../policy/command/git/git-repository.ts';
import {runChild} from '../tools/child/run-child.ts';

/** A repository, by what it has in common with a clone elsewhere. */
export type Clone = {
	/** The folder of its working tree, a real path. */
	readonly top: string;
	/** What its remotes name; see `normalizeRemote`. */
	readonly remotes: readonly string[];
	/** The commit that is checked out. */
	readonly commit: string;
	/** Its branch; '' for none. */
	readonly branch: string;
};

const timeoutMs = 60_000;
const maxBytes = 20_000_000;

/** Runs git in a repository, without its hooks, monitors and pagers. Throws AppError("failed") if it fails. */
export async function runGit(top: string, args: readonly string[], env = readOnlyEnvironment): Promise<string> {
	const {status, stdout, stderr, omittedBytes} = await runChild({
		command: 'git',
		args: ['-C', top, ...args],
		cwd: top,
		outside: top,
		env,
		signal: new AbortController().signal,
		timeoutMs,
		maxBytes,
	});
	if (status !== 0 || omittedBytes > 0) {
		const why =
			omittedBytes > 0
				? 'its answer is too long'
				: stderr.trim().split('\n', 1)[0]?.replace(/\.$/, '') || `status ${status}`;
		throw new AppError('failed', `git ${args[0]} failed in ${top}: ${why}.`, {hint: 'Fix that first.'});
	}

	return stdout;
}

/** Returns what git prints, without blanks around it; '' if it fails. */
export async function tryGit(top: string, args: readonly string[]): Promise<string> {
	return runGit(top, args).then(
		text => text.trim(),
		() => '',
	);
}

/**
 * Returns the repository that a folder is in. Throws AppError("usage") for a folder in none, and AppError("conflict") for a repository
 * whose own settings could start a program, or that has no commit or no remote.
 */
export async function openRepository(folder: string): Promise<Clone> {
	const top = await tryGit(folder, ['rev-parse', '--show-toplevel']);
	if (top === '') {
		throw new AppError('usage', `${folder} is in no git repository.`, {
			hint: 'Hand over a session of a folder that git clones.',
		});
	}

	const found = await findRepository(top, {workspace: top});
	if (typeof found === 'string') {
		throw new AppError('conflict', `git is not asked about ${top}: it ${found}.`, {hint: 'Use another clone.'});
	}

	const commit = await tryGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD']);
	const remotes = [...new Set(found.addresses.flatMap(address => normalizeRemote(address) ?? []))];
	if (commit === '' || remotes.length === 0) {
		throw new AppError('conflict', `${top} has no ${commit === '' ? 'commit' : 'remote'} yet.`, {
			hint: commit === '' ? 'Commit first.' : 'Add the remote that the other clone has, too.',
		});
	}

	return {top, remotes, commit, branch: await tryGit(top, ['symbolic-ref', '--quiet', '--short', 'HEAD'])};
}

/** Modes as git writes them. */
export const programMode = '100755';
export const submoduleMode = '160000';

/** Returns the mode of each path that a commit has, as git writes it. */
export async function modesOf(top: string, commit: string): Promise<ReadonlyMap<string, string>> {
	const rows = (await runGit(top, ['ls-tree', '-r', '-z', '--full-tree', commit])).split('\0');
	return new Map(
		rows.flatMap(row => {
			const [, mode = '', path] = /^(\d+) \w+ \w+\t(.*)$/s.exec(row) ?? [];
			return path === undefined ? [] : [[path, mode] as const];
		}),
	);
}

/** True if a commit is in a repository. */
export async function hasCommit({top}: Clone, commit: string): Promise<boolean> {
	return (await tryGit(top, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`])) !== '';
}

/** Folders that are searched, and how deep below those of the host. */
const maxFolders = 2000;
const maxDepth = 3;

/**
 * Returns the repositories in these folders, and below them, that have a remote in common with another one, and why the first of those
 * can't be used that can't, as a sentence. A repository whose working tree isn't whole in one of them is left out.
 */
export async function findClones(
	folders: readonly string[],
	remotes: readonly string[],
): Promise<{readonly clones: readonly Clone[]; readonly refusal: string | undefined}> {
	const clones: Clone[] = [];
	let refusal: string | undefined;
	let waiting = folders.map(path => ({path, depth: 0}));
	for (let count = 0; waiting.length > 0 && count < maxFolders; count++) {
		const [next, ...rest] = waiting;
		waiting = rest;
		if (!next) {
			break;
		}

		const {path, depth} = next;
		if ((await existing([join(path, '.git')])).length > 0) {
			const repository = await openRepository(path).catch((error: unknown) => {
				refusal ??= messageOf(error);
			});
			if (repository?.top === path && repository.remotes.some(remote => remotes.includes(remote))) {
				clones.push(repository);
			}
		} else if (depth < maxDepth) {
			const entries = await readdir(path, {withFileTypes: true}).catch(() => []);
			waiting.push(
				...entries
					.filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
					.map(({name}) => ({path: join(path, name), depth: depth + 1})),
			);
		}
	}

	return {clones, refusal};
}

/** Returns the folder of a session below its repository, with `/`; '' for the repository itself. */
export function folderBelow({top}: Clone, folder: string): string {
	return relative(top, folder).replaceAll(sep, '/');
}
