import {createHash} from 'node:crypto';
import {lstat, readFile, readlink} from 'node:fs/promises';
import {join} from 'node:path';
import {runChild} from '../tools/child/run-child.ts';
import {readHead} from './read-head.ts';

/** Neither starts a program of the repository, fetches anything, nor believes what a command may have written beside the objects. */
const environment = {
	GIT_NO_LAZY_FETCH: '1',
	GIT_NO_REPLACE_OBJECTS: '1',
	GIT_GRAFT_FILE: '/dev/null',
	GIT_OPTIONAL_LOCKS: '0',
	GIT_TERMINAL_PROMPT: '0',
	GIT_CEILING_DIRECTORIES: '',
};
const options = ['-c', 'core.fsmonitor=false', '-c', 'core.commitGraph=false', '-c', 'protocol.allow=never'];
const maxCommits = 1000;
const maxRefs = 2000;
const timeoutMs = 10_000;

/** Returns the id of the commit that is checked out in a folder; undefined if there is none, or no git. */
export async function headOf(folder: string): Promise<string | undefined> {
	const read = await readHead(folder);
	const text = read ? read.commit : await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD']);
	return text?.trim() || undefined;
}

/** Returns what branches, tags and stashes name; undefined if that are too many, or git can't say. */
export async function refsOf(folder: string): Promise<readonly string[] | undefined> {
	const text = await git(folder, ['for-each-ref', `--count=${maxRefs + 1}`, '--format=%(objectname)']);
	const ids = [...new Set(text?.split('\n').filter(Boolean))];
	return text !== undefined && ids.length <= maxRefs ? ids : undefined;
}

type Commits = {
	/** What was there before: these commits, and those before them. */
	readonly from: readonly string[];
	readonly to: string;
	readonly names: readonly string[];
};

/**
 * Returns those of the names, relative to the folder, that a commit after `from` changed, up to `to`, and that are now as
 * they are there. Nothing if git can't say.
 */
export async function findCommitted(folder: string, {from, to, names}: Commits): Promise<ReadonlySet<string>> {
	const range = [to, ...from.map(id => `^${id}`)].join('\n');
	const commits = await git(folder, ['rev-list', '--no-merges', `--max-count=${maxCommits}`, '--stdin'], range);
	const touched = commits?.trim()
		? await git(
				folder,
				['diff-tree', '--stdin', '-r', '--root', '--no-commit-id', '--name-only', '--relative', '-z'],
				commits,
			)
		: undefined;
	const paths = new Set(touched?.split('\0'));
	const wanted = names.filter(name => paths.has(name));
	if (wanted.length === 0) {
		return new Set();
	}

	const tree = await git(folder, [
		'ls-tree',
		'-r',
		'-z',
		to,
		'--',
		...wanted.slice(0, 500).map(name => `:(literal)${name}`),
	]);
	const rows = new Map(
		(tree ?? '').split('\0').flatMap(row => {
			const [, mode = '', id = '', name] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(row) ?? [];
			return name === undefined ? [] : [[name, {mode, id}] as const];
		}),
	);
	const found = new Set<string>();
	for (const name of tree === undefined ? [] : wanted.slice(0, 500)) {
		const row = rows.get(name);
		const now = await blobOf(join(folder, name), row?.id.length === 64 ? 'sha256' : 'sha1');
		if (row ? now?.id === row.id && now.mode === row.mode : now === undefined) {
			found.add(name);
		}
	}

	return found;
}

/** Returns what git would store of a file without its filters; undefined for one that doesn't exist. */
async function blobOf(
	path: string,
	algorithm: string,
): Promise<{readonly id: string; readonly mode: string} | undefined> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) {
		return undefined;
	}

	const isLink = stats.isSymbolicLink();
	const content = isLink
		? await readlink(path, 'buffer')
		: stats.isFile()
			? await readFile(path).catch(() => undefined)
			: undefined;
	const id = content ? createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex') : '';
	return {id, mode: isLink ? '120000' : (stats.mode & 0o100) === 0 ? '100644' : '100755'};
}

async function git(folder: string, args: readonly string[], input?: string): Promise<string | undefined> {
	try {
		const {status, stdout, omittedBytes} = await runChild({
			command: 'git',
			args: ['-C', folder, ...options, ...args],
			cwd: folder,
			outside: folder,
			env: environment,
			signal: new AbortController().signal,
			timeoutMs,
			maxBytes: 16 * 1024 * 1024,
			...(input !== undefined && {input}),
		});
		return status === 0 && omittedBytes === 0 ? stdout : undefined;
	} catch {
		return undefined;
	}
}
