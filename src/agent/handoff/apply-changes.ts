import {lstat, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../../core/error.ts';
import {maxChangedBytes, type PackedChange, type PackedChanges} from '../../core/packed-changes.ts';
import {exists} from '../paths/existing.ts';
import {pathText} from '../paths/path-text.ts';
import {assertVisible, writeBoundsOf} from '../policy/bounds.ts';
import {newTemporaryName} from '../tools/files/folder-handle.ts';
import {type BegunNote, checkOut, filesOf, keepBegun, resetFiles, writeChanges} from './begun-changes.ts';
import {hashOfChanges, packChanges, parentsOf} from './packed-changes.ts';
import {type Clone, hasCommit, modesOf, runGit, submoduleMode} from './repository.ts';

/** A clone that can get the changes, and what happens to it. */
export type ChangePlan = {
	readonly repository: Clone;
	/** The folder of the session. */
	readonly folder: string;
	/** What is checked out first: a branch, or the commit without one; undefined if the commit is there. */
	readonly switchesTo: string | undefined;
	/** The changes of its own, which come back with those of the session: they are put away first. */
	readonly own: readonly PackedChange[];
};

/**
 * Checks that changes can be applied to a clone. Changes nothing. `handed` is the hash of changes that were handed over from here, and are
 * here still. Throws AppError("conflict") for a clone with changes of its own or
 * without the commit, and AppError("usage") for changes that no working tree has.
 */
export async function planChanges(repository: Clone, packed: PackedChanges, handed?: string): Promise<ChangePlan> {
	const {top, commit, branch} = repository;
	// What stays where it is when a session is handed over may stay here, too, unless it is about to change.
	const {packed: own, left} = await packChanges(repository, {
		below: packed.below,
		places: {stateFolder: join(top, '.git')},
		withSecrets: false,
	});
	const changed = new Set(packed.changes.map(({path}) => path));
	const isOwn = own.changes.length > 0 && hashOfChanges(own) !== handed;
	if (isOwn || [...left.secrets, ...left.others].some(path => changed.has(path))) {
		throw new AppError('conflict', `${top} has changes of its own.`, {hint: 'Commit or stash them there first.'});
	}

	if (!/^[\da-f]{40}(?:[\da-f]{24})?$/.test(packed.commit) || !(await hasCommit(repository, packed.commit))) {
		throw new AppError('conflict', `${top} lacks the commit ${pathText(packed.commit.slice(0, 10))}.`, {
			hint: 'Push it where the session is, and fetch it there: git fetch',
		});
	}

	const committed = await modesOf(top, packed.commit);
	assertTree(packed, committed);
	await assertSeen(top, packed);
	if (packed.below !== '' && ![...finalPaths(packed, committed)].some(path => path.startsWith(`${packed.below}/`))) {
		throw new AppError('conflict', `${top} has no folder ${pathText(packed.below)}.`, {
			hint: 'Hand the session over from the folder of its repository.',
		});
	}

	const isThere = commit === packed.commit;
	const named = isThere || packed.branch === '' || packed.branch === branch ? '' : await commitOf(top, packed.branch);
	const switchesTo = isThere ? undefined : named === packed.commit ? packed.branch : packed.commit;
	return {repository, folder: join(top, packed.below), switchesTo, own: own.changes};
}

/** Throws AppError("conflict") for a file of which git was told not to look whether it changed, or that isn't checked out. */
async function assertSeen(top: string, {changes}: PackedChanges): Promise<void> {
	const rows = (await runGit(top, ['ls-files', '-v', '-z'])).split('\0');
	const marks = new Map(rows.filter(row => row && !row.startsWith('H ')).map(row => [row.slice(2), row[0]]));
	const hidden = changes.find(({path}) => marks.has(path))?.path;
	if (hidden === undefined) {
		return;
	}

	const place = join(top, hidden);
	const name = join(top, pathText(hidden));
	if (marks.get(hidden) === 'S' && !(await exists(place))) {
		throw new AppError('conflict', `A sparse checkout leaves out ${name}.`, {
			hint: 'Add its folder there first: git sparse-checkout add',
		});
	}

	throw new AppError('conflict', `git was told to overlook ${name}.`, {
		hint: 'It may have changes of its own. Undo that there first: git update-index',
	});
}

/** Returns the commit of a local branch; '' without it, and for one that another working tree has checked out. */
async function commitOf(top: string, branch: string): Promise<string> {
	const format = '--format=%(refname) %(objectname) %(worktreepath)';
	const rows = (await runGit(top, ['for-each-ref', format, 'refs/heads'])).split('\n');
	const [, commit, elsewhere] = rows.find(line => line.startsWith(`refs/heads/${branch} `))?.split(' ') ?? [];
	return elsewhere ? '' : (commit ?? '');
}

function finalPaths({changes}: PackedChanges, committed: ReadonlyMap<string, string>): ReadonlySet<string> {
	const paths = new Set(committed.keys());
	for (const {path, kind} of changes) {
		if (kind === 'gone') {
			paths.delete(path);
		} else {
			paths.add(path);
		}
	}

	return paths;
}

/** Throws AppError("usage") unless the changes lead from the tree of the commit to another tree, inside the repository. */
function assertTree(packed: PackedChanges, committed: ReadonlyMap<string, string>): void {
	const seen = new Set<string>();
	let bytes = 0;
	for (const {path, kind, content} of packed.changes) {
		const mode = committed.get(path);
		const isPlain = isPlainPath(path) && !seen.has(path) && mode !== submoduleMode;
		if (!isPlain || (kind === 'gone' ? mode === undefined : content === undefined)) {
			throw invalid(path);
		}

		seen.add(path);
		bytes += Buffer.byteLength(content ?? '', 'base64');
	}

	const paths = finalPaths(packed, committed);
	for (const {path, kind} of packed.changes) {
		// Nothing is below a file or a link, so that no change goes through one.
		if (kind !== 'gone' && parentsOf(path).some(parent => paths.has(parent))) {
			throw invalid(path);
		}
	}

	// A link in the place of a folder that has files still.
	const folders = new Set([...paths].flatMap(parentsOf));
	const covering = packed.changes.find(({path, kind}) => kind !== 'gone' && folders.has(path));
	if (covering || bytes > maxChangedBytes || (packed.below !== '' && !isPlainPath(packed.below))) {
		throw invalid(covering?.path ?? packed.below);
	}
}

function invalid(path: string): AppError {
	return new AppError('usage', `The changes aren’t those of a working tree: “${pathText(path.slice(0, 200))}”.`, {
		hint: 'Nothing was changed. Install the same version of both.',
	});
}

function isPlainPath(path: string): boolean {
	const names = path.split('/');
	return (
		path.length <= 4096 &&
		!/[\0\uFFFD]/.test(path) &&
		(process.platform !== 'win32' || !/[\\:]/.test(path)) &&
		names.every(name => name !== '' && name !== '.' && name !== '..')
	);
}

/** Who receives changes. */
type Receiver = {
	readonly stateFolder: string;
	/** The id of the session that they belong to. */
	readonly key: string;
	/** See `planChanges`. */
	readonly handed?: string | undefined;
};

/**
 * Applies changes that were planned: checks the commit out, then writes each file as a whole, below the repository and never through a
 * link (SAFETY 13). If one can't be written, all are put back; if this process is killed, the next start does that. Returns what ends
 * it. Throws as `planChanges` does, and what writing throws.
 */
export async function applyChanges(packed: PackedChanges, planned: ChangePlan, receiver: Receiver): Promise<BegunNote> {
	const {stateFolder, key, handed} = receiver;
	const {repository, switchesTo, own} = await planChanges(planned.repository, packed, handed);
	const {top, commit: before, branch} = repository;
	const {commit, changes} = packed;
	const bounds = await writeBoundsOf(top, {stateFolder});
	for (const {path} of changes) {
		assertVisible(join(top, path), path, bounds);
	}

	const temporary = newTemporaryName();
	const note = await keepBegun(stateFolder, key, {
		top,
		before: {commit: before, branch},
		commit,
		files: filesOf(changes),
		own: [...own],
		temporary,
	});
	try {
		await resetFiles(top, before, filesOf(own), stateFolder);
		if (switchesTo !== undefined) {
			await checkOut(top, switchesTo, commit);
		}

		await assertFree(top, packed, await modesOf(top, commit));
		await writeChanges(top, changes, {temporary, stateFolder});
		const folder = await stat(planned.folder).catch(() => undefined);
		if (!folder?.isDirectory()) {
			throw new AppError('conflict', `${planned.folder} is no folder.`, {
				hint: 'Hand the session over from its parent.',
			});
		}

		return note;
	} catch (error) {
		await note.undo();
		throw error;
	}
}

/** Throws AppError("conflict") if something that git ignores is in the way. */
async function assertFree(
	top: string,
	{changes}: PackedChanges,
	committed: ReadonlyMap<string, string>,
): Promise<void> {
	const gone = new Set(changes.filter(({kind}) => kind === 'gone').map(({path}) => path));
	const inTheWay = (path: string) =>
		new AppError('conflict', `${join(top, pathText(path))} is in the way: git ignores it.`, {
			hint: 'Nothing was changed. Move it away first.',
		});
	const assertEmptied = async (folder: string): Promise<void> => {
		for (const entry of await readdir(join(top, folder), {withFileTypes: true})) {
			const path = `${folder}/${entry.name}`;
			if (entry.isDirectory()) {
				await assertEmptied(path);
			} else if (!gone.has(path)) {
				throw inTheWay(path);
			}
		}
	};
	for (const {path} of changes.filter(({kind}) => kind !== 'gone')) {
		const covering = await coveringParent(top, path);
		if (covering !== undefined) {
			// Where a link gives way to a folder, what stands behind the link is not in the way.
			if (!gone.has(covering)) {
				throw inTheWay(covering);
			}

			continue;
		}

		const stats = await lstat(join(top, path)).catch(() => undefined);
		if (stats?.isDirectory()) {
			await assertEmptied(path);
		} else if (stats && !committed.has(path)) {
			throw inTheWay(path);
		}
	}
}

/** Returns the first path above a path that is a file or a link; undefined if all that exist are folders. */
async function coveringParent(top: string, path: string): Promise<string | undefined> {
	for (const parent of parentsOf(path)) {
		const stats = await lstat(join(top, parent)).catch(() => undefined);
		if (stats && !stats.isDirectory()) {
			return parent;
		}
	}

	return undefined;
}
