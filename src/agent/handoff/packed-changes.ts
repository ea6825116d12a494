import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {lstat, open, readlink} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../../core/error.ts';
import {formatBytes, formatNumber} from '../../core/format.ts';
import {
	type LeftOut,
	maxChangedBytes,
	maxChanges,
	type PackedChange,
	type PackedChanges,
} from '../../core/packed-changes.ts';
import {pathText} from '../paths/path-text.ts';
import {assertVisible, boundsOf} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {type Clone, modesOf, programMode, runGit, submoduleMode, tryGit} from './repository.ts';

type PackOptions = {
	readonly below: string;
	readonly places: Places;
	/** True to pack files whose names suggest secrets, too. */
	readonly withSecrets: boolean;
};

/**
 * Packs what differs from the commit: changed and new files, staged or not, but no ignored ones. Throws AppError("conflict") for files
 * in a merge, and AppError("usage") for more than a hand-over may have.
 */
export async function packChanges(
	{top, remotes, commit, branch}: Clone,
	{below, places, withSecrets}: PackOptions,
): Promise<{readonly packed: PackedChanges; readonly left: LeftOut}> {
	const bounds = await boundsOf(top, places);
	const secrets: string[] = [];
	const others: string[] = [];
	const changes: PackedChange[] = [];
	let bytes = 0;
	for (const {path, isCommitted, isProgram, isSubmodule} of await changedPaths(top, commit)) {
		if (isSecretFile(`${top}/${path}`) && !withSecrets) {
			secrets.push(path);
			continue;
		}

		const change = !isSubmodule && isAllowed(path) ? await readChange(top, path) : undefined;
		if (!change) {
			others.push(path);
		} else if (change.kind !== 'gone' || isCommitted) {
			bytes += Buffer.byteLength(change.content ?? '', 'base64');
			changes.push(isProgram === undefined ? change : withPermission(change, isProgram));
			assertSize(changes.length, bytes);
		}
	}

	function isAllowed(path: string): boolean {
		try {
			assertVisible(join(top, path), path, bounds);
			return true;
		} catch {
			return false;
		}
	}

	return {packed: {remotes: [...remotes], commit, branch, below, changes}, left: {secrets, others}};
}

function assertSize(count: number, bytes: number): void {
	if (count > maxChanges || bytes > maxChangedBytes) {
		const limit = `${formatNumber(maxChanges)} files or ${formatBytes(maxChangedBytes)}`;
		throw new AppError('usage', `More than ${limit} are changed and not committed.`, {
			hint: 'Commit them, or let git ignore what is built.',
		});
	}
}

/** Returns a file as git has it where the file system keeps no permissions, such as a mounted folder of Windows (`core.fileMode`). */
function withPermission({permissions = 0o644, ...change}: PackedChange, isProgram: boolean): PackedChange {
	return change.kind === 'file' ? {...change, permissions: (permissions & 0o666) | (isProgram ? 0o111 : 0)} : change;
}

type ChangedPath = {
	readonly path: string;
	readonly isCommitted: boolean;
	/** Whether git counts it as a program; undefined where the file system says so. */
	readonly isProgram: boolean | undefined;
	/** True if it is or was a submodule, whose commit or place has changed. */
	readonly isSubmodule: boolean;
};

/**
 * Returns the paths that git lists as changed or new, each once, and the files of the commit that a changed path took the place of a
 * folder of: git lists none of those behind a link that leads in a circle.
 */
async function changedPaths(top: string, commit: string): Promise<readonly ChangedPath[]> {
	const found = new Map<string, ChangedPath>();
	const isKept = (await tryGit(top, ['config', '--type=bool', 'core.fileMode'])) !== 'false';
	for (const row of await changedRows(top)) {
		const [, mode, staged, now, changed] = /^1 .{2} .{4} (\d+) (\d+) (\d+) \w+ \w+ (.*)$/s.exec(row) ?? [];
		const [, created] = /^\? (.*)$/s.exec(row) ?? [];
		const path = changed ?? created;
		if (path === undefined) {
			throw new AppError('conflict', `A merge in ${top} has conflicts.`, {hint: 'Resolve them first.'});
		}

		if (path.includes('\uFFFD')) {
			throw new AppError('usage', `The name of a changed file isn't UTF-8: ${pathText(path)}.`, {hint: 'Rename it.'});
		}

		found.set(path, {
			path,
			isCommitted: found.get(path)?.isCommitted === true || (changed !== undefined && mode !== '000000'),
			isProgram: isKept ? undefined : now === programMode,
			isSubmodule: [mode, staged, now].includes(submoduleMode),
		});
	}

	for (const path of found.size > 0 ? (await modesOf(top, commit)).keys() : []) {
		if (!found.has(path) && parentsOf(path).some(parent => found.has(parent))) {
			found.set(path, {path, isCommitted: true, isProgram: undefined, isSubmodule: false});
		}
	}

	return [...found.values()];
}

/** Returns what git lists as changed, a row each. What changed inside submodules isn't asked: their settings could start a program. */
async function changedRows(top: string): Promise<readonly string[]> {
	const args = ['--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
	return (await runGit(top, ['status', ...args])).split('\0').filter(Boolean);
}

/** Returns the folders above a path: `a` and `a/b` for `a/b/c`. */
export function parentsOf(path: string): readonly string[] {
	const names = path.split('/');
	return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** True if a folder above a path is a file or a link now: what is behind that is no file of the repository. */
export async function isBehindLink(top: string, path: string): Promise<boolean> {
	for (const parent of parentsOf(path)) {
		const stats = await lstat(join(top, parent)).catch(() => undefined);
		if (!stats?.isDirectory()) {
			return true;
		}
	}

	return false;
}

/** Returns a file as it is now; undefined for what is neither a file nor a link. */
export async function readChange(top: string, path: string): Promise<PackedChange | undefined> {
	if (await isBehindLink(top, path)) {
		return {path, kind: 'gone'};
	}

	const place = join(top, path);
	const stats = await lstat(place).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
			return undefined;
		}

		throw error;
	});
	// A folder in the place of a file has files of its own, which are listed, too.
	if (!stats || (stats.isDirectory() && !path.endsWith('/'))) {
		return {path, kind: 'gone'};
	}

	if (stats.isSymbolicLink()) {
		return {path, kind: 'link', content: (await readlink(place, 'buffer')).toString('base64')};
	}

	if (!stats.isFile()) {
		return undefined;
	}

	assertSize(0, stats.size);
	const file = await open(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	try {
		const content = await file.readFile();
		return {path, kind: 'file', permissions: stats.mode & 0o777, content: content.toString('base64')};
	} finally {
		await file.close();
	}
}

/** Returns what an answer about changes is bound to. */
export function hashOfChanges(packed: PackedChanges): string {
	const {commit, below, changes} = packed;
	const rows = changes.map(({path, kind, permissions, content}) => [path, kind, permissions, content]);
	return createHash('sha256')
		.update(JSON.stringify([commit, below, rows]))
		.digest('hex');
}
