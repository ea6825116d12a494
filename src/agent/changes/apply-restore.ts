import {AppError} from '../../core/error.ts';
import type {RestoreKind} from '../../core/session/changes.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {pathText} from '../paths/path-text.ts';
import type {ChangePlace} from './file-history.ts';
import type {PlannedFile} from './plan-restore.ts';
import {type FileRestore, restoreFile} from './restore-file.ts';
import {saveTree, type TreeEntry} from './tree.ts';

/** What the user wants for a file that they changed, too. */
export type RestoreChoice = 'mine' | 'old' | 'merged';

export type Restored = {
	/** What to record; undefined if no file was restored. */
	readonly event: Extract<AgentEvent, {type: 'restore'}> | undefined;
	readonly restored: readonly string[];
	/** The files that could not be restored, each with a sentence. */
	readonly failed: readonly string[];
};

type Options = {
	readonly id: string;
	readonly session: string;
	readonly how: RestoreKind;
	/** The steps that are taken back as a whole. */
	readonly steps: readonly string[];
};

/** Returns what to do about a planned file; undefined for nothing. */
export function restoreOf(
	{path, state, current, wanted, merged}: PlannedFile,
	choice: RestoreChoice,
): FileRestore | undefined {
	if (state === 'ready' || (state === 'changed' && choice === 'old')) {
		return {path, current, wanted};
	}

	return state === 'changed' && choice === 'merged' && merged ? {path, current, wanted: merged} : undefined;
}

/** Most paths in the event. */
const maxPaths = 50;

/**
 * Restores files. Each is old or new at any time. What is replaced is stored first, so that it can be brought back. Files
 * that fail don't stop the others; the steps then don't count as taken back.
 */
export async function applyRestore(
	restores: readonly FileRestore[],
	{id, session, how, steps}: Options,
	{store, bounds, signal}: ChangePlace,
): Promise<Restored> {
	const done: FileRestore[] = [];
	const failed: string[] = [];
	// Kept from cleanups before anything is replaced.
	await saveTree(store, {session}, entriesOf(restores, 'current'), `before ${how} ${id}`);
	for (const restore of restores) {
		if (signal.aborted) {
			failed.push(`${restore.path}: interrupted`);
			continue;
		}

		try {
			await restoreFile(restore, store, bounds);
			done.push(restore);
		} catch (error) {
			if (!(error instanceof AppError)) {
				throw error;
			}

			failed.push(error.message);
		}
	}

	const paths = done.map(({path}) => pathText(path));
	const isWhole = failed.length === 0;
	if (done.length === 0 && !(isWhole && steps.length > 0)) {
		return {event: undefined, restored: [], failed};
	}

	const before = await saveTree(store, {session}, entriesOf(done, 'current'), `before ${how} ${id}`);
	const after = await saveTree(store, {session}, entriesOf(done, 'wanted'), `after ${how} ${id}`);
	const event = {
		...({type: 'restore', id, how, before, after} as const),
		steps: isWhole ? [...steps] : [],
		paths: paths.slice(0, maxPaths),
		count: paths.length,
	};
	return {event, restored: paths, failed};
}

function entriesOf(restores: readonly FileRestore[], side: 'current' | 'wanted'): ReadonlyMap<string, TreeEntry> {
	return new Map(restores.flatMap(({path, [side]: entry}) => (entry ? [[path, entry] as const] : [])));
}
