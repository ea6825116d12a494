import {join} from 'node:path';
import {AppError} from '../../core/error.ts';
import type {ChangeStep} from '../../core/session/changes.ts';
import {type Bounds, locateTarget} from '../policy/bounds.ts';
import type {ObjectStore} from './object-store.ts';
import {readEntry} from './read-entry.ts';
import {filesOf, scanFolder} from './scan-folder.ts';
import {diffTrees, isSameEntry, type TreeEntry, writeTree} from './tree.ts';

/** Where the contents of a session are, and the folder that they are of. */
export type ChangePlace = {readonly store: ObjectStore; readonly bounds: Bounds; readonly signal: AbortSignal};

/** What one step did to a file. `isKnown` is false if the program ended before it saved the result. */
export type FileStep = {
	readonly step: ChangeStep;
	readonly before: TreeEntry | undefined;
	readonly after: TreeEntry | undefined;
	readonly isKnown: boolean;
};

/** The steps that changed a file, in order. */
export type FileHistory = {readonly path: string; readonly steps: readonly FileStep[]};

/**
 * Returns the files that the steps changed, in the order of their paths, without the steps whose contents are stored for no or
 * another folder. Throws AppError("not-found") if only a part of a step's is.
 */
export async function historyOf(steps: readonly ChangeStep[], place: ChangePlace): Promise<readonly FileHistory[]> {
	const files = new Map<string, FileStep[]>();
	for (const step of steps) {
		if (!(await isStored(step, place.store))) {
			continue;
		}

		const isKnown = step.after !== undefined;
		const after = step.after ?? (await treeNow(step, place));
		for (const {path, ...change} of await diffTrees(place.store, step.before, after)) {
			const history = files.get(path) ?? [];
			history.push({step, isKnown, ...change});
			files.set(path, history);
		}
	}

	return [...files]
		.map(([path, history]) => ({path, steps: history}))
		.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns whether the contents of a step are stored for this folder: a session may have worked in another one before. */
export async function isStored({before}: ChangeStep, store: ObjectStore): Promise<boolean> {
	try {
		await store.get('tree', before);
		return true;
	} catch (error) {
		if (error instanceof AppError && error.code === 'not-found') {
			return false;
		}

		throw error;
	}
}

/** Returns the tree of what a step may have changed, as it is now. */
async function treeNow({path}: ChangeStep, {store, bounds, signal}: ChangePlace): Promise<string> {
	if (path === undefined) {
		const known = await scanFolder({folder: bounds.workspace, bounds, store, signal, known: new Map()});
		return writeTree(store, filesOf(known));
	}

	const entry = await entryNow(path, {store, bounds});
	return writeTree(store, new Map(entry ? [[path, entry]] : []));
}

/**
 * Stores what is at a path now, and returns its entry; undefined if there is nothing, or if a folder on the way is a link or
 * protected.
 */
export async function entryNow(
	path: string,
	{store, bounds}: Pick<ChangePlace, 'store' | 'bounds'>,
): Promise<TreeEntry | undefined> {
	const real = join(bounds.workspace, path);
	const parent = join(real, '..');
	const located = await locateTarget(parent, bounds).catch(() => undefined);
	return located?.real === parent ? (await readEntry(real, store, {isSynced: true}))?.entry : undefined;
}

/** Returns true if the file was changed between the steps, or after the last one, by someone else. */
export function isChangedBetween(steps: readonly FileStep[], current: TreeEntry | undefined): boolean {
	return steps.some(({after, isKnown}, index) => {
		const next = steps[index + 1];
		return !isKnown || !isSameEntry(after, next ? next.before : current);
	});
}
