import {lstat} from 'node:fs/promises';
import {join} from 'node:path';
import {type Bounds, hiddenBelow, type Located} from '../../policy/bounds.ts';
import {runChild} from '../child/run-child.ts';
import {type FilesBelow, walk} from './walk.ts';

/**
 * Returns the files below a folder: those that git tracks or doesn't ignore, or without git those that `walk` finds.
 * Paths are relative to the folder, sorted, with `/`. `byGit` is true if git listed them, `denied` the number of files that the
 * user's rules deny, which are left out.
 */
export async function findFiles(
	folder: Located,
	bounds: Bounds,
	signal: AbortSignal,
): Promise<FilesBelow & {readonly byGit: boolean; readonly denied: number}> {
	const listed = await gitFiles(folder.real, bounds.workspace, signal);
	// git lists nothing in an ignored folder; but the model asked for it.
	const byGit = listed !== undefined && listed.paths.length > 0;
	const found = byGit ? listed : await walk(folder.real, signal);
	const hidden = hiddenBelow(folder.real, bounds);
	const isHidden = (path: string) => hidden.some(place => path === place || path.startsWith(`${place}/`));
	const visible = found.paths.filter(path => !isHidden(path));
	const {denied} = bounds;
	const isAllowed = (path: string) => !denied?.by(join(folder.real, path));
	const paths = visible.filter(isAllowed);
	const closed = found.closed.filter(path => !isHidden(path) && isAllowed(path));
	return {complete: found.complete, closed, byGit, paths: paths.sort(), denied: visible.length - paths.length};
}

/** Most bytes of the list that git prints. */
const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 10_000;

/** Switches off the repository's settings that make git run programs, and the network. */
const harmless = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const env = {
	LC_ALL: 'C',
	GIT_OPTIONAL_LOCKS: '0',
	GIT_NO_LAZY_FETCH: '1',
	GIT_ALLOW_PROTOCOL: 'none',
	GIT_TERMINAL_PROMPT: '0',
};

/** Repositories in each other, and how deep. */
const maxRepositories = 200;
const maxNesting = 8;

type Listing = {readonly workspace: string; readonly signal: AbortSignal; repositories: number};

/** Returns undefined without git or outside a work tree; `core.worktree` may name another folder. */
async function gitFiles(cwd: string, workspace: string, signal: AbortSignal): Promise<FilesBelow | undefined> {
	return repositoryFiles(cwd, {workspace, signal, repositories: 0}, 0);
}

/** Lists a repository, and those in it: submodules, clones and work trees, each by its own rules. */
async function repositoryFiles(cwd: string, listing: Listing, depth: number): Promise<FilesBelow | undefined> {
	const {workspace, signal} = listing;
	const git = async (...args: readonly string[]) => {
		const limits = {env, timeoutMs, maxBytes};
		const options = {command: 'git', args: [...harmless, ...args], cwd, outside: workspace, signal, ...limits};
		const result = await runChild(options).catch(() => undefined);
		signal.throwIfAborted();
		return result?.status === 0 ? result : undefined;
	};

	const inside = await git('rev-parse', '--is-inside-work-tree');
	if (inside?.stdout.trim() !== 'true') {
		return undefined;
	}

	const result = await git(
		'ls-files',
		'-z',
		'-t',
		'--stage',
		'--cached',
		'--others',
		'--deleted',
		'--exclude-standard',
	);
	if (!result) {
		return undefined;
	}

	const {paths, folders} = readListing(result.stdout);
	const closed = [...result.stderr.matchAll(/^warning: could not open directory '(.*?)\/?': /gm)].map(
		([, path = '']) => path,
	);
	let complete = result.omittedBytes === 0;
	for (const folder of folders) {
		const real = join(cwd, folder);
		if (!(await isRepository(real))) {
			continue;
		}

		if (++listing.repositories > maxRepositories || depth >= maxNesting) {
			complete = false;
			continue;
		}

		// One that git refuses, because it belongs to someone else, is there all the same.
		const inner = (await repositoryFiles(real, listing, depth + 1)) ?? (await walk(real, signal));
		complete &&= inner.complete;
		closed.push(...inner.closed.map(path => `${folder}/${path}`));
		for (const path of inner.paths) {
			paths.add(`${folder}/${path}`);
		}
	}

	return {paths: [...paths], closed, complete};
}

/**
 * Reads what `ls-files -t --stage` printed: the files that are there, and the folders that may be repositories. Each entry
 * begins with a letter and a blank: R is a deleted file, S one that a sparse checkout leaves out.
 */
function readListing(text: string): {readonly paths: Set<string>; readonly folders: ReadonlySet<string>} {
	const paths = new Set<string>();
	const missing = new Set<string>();
	const folders = new Set<string>();
	for (const entry of text.split('\0')) {
		const [, letter = '', mode, path = ''] = /^(\S) (?:(\d{6}) [\da-f]+ \d\t)?([\s\S]+)$/.exec(entry) ?? [];
		if (mode === '160000' || path.endsWith('/')) {
			folders.add(path.replace(/\/$/, ''));
		} else if (path) {
			(letter === 'R' || letter === 'S' ? missing : paths).add(path);
		}
	}

	for (const path of missing) {
		paths.delete(path);
	}

	return {paths, folders};
}

async function isRepository(folder: string): Promise<boolean> {
	const [stats, git] = await Promise.all(
		[folder, join(folder, '.git')].map(path => lstat(path).catch(() => undefined)),
	);
	return stats?.isDirectory() === true && git !== undefined;
}
