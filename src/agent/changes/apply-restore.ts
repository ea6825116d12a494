import {AppError} from '../../core/error.ts';
import {parseJson} from '../../core/json.ts';
import type {RestoreKind} from '../../core/session/changes.ts';
import {type EventOf, parseRestore} from '../../core/session/event.ts';
import {pathText} from '../paths/path-text.ts';
import {type ChangePlace, entryNow} from './file-history.ts';
import type {ObjectStore} from './object-store.ts';
import type {PlannedFile} from './plan-restore.ts';
import {type FileRestore, restoreFile} from './restore-file.ts';
import {diffTrees, isSameEntry, saveTree, type TreeEntry, writeTree} from './tree.ts';

type RestoreEvent = EventOf<'restore'>;

/** What the user wants for a file that they changed, too. */
export type RestoreChoice = 'mine' | 'old' | 'merged';

export type Restored = {
	/** What to record; undefined if no file was restored. */
	readonly event: RestoreEvent | undefined;
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
 * Restores files. Each is old or new at any time. What is replaced and what is to be restored is stored first, so that it can be
 * brought back, and finished after a kill: see `finishRestore`. Files that fail don't stop the others; the steps then don't
 * count as taken back.
 */
export async function applyRestore(
	restores: readonly FileRestore[],
	{id, session, how, steps}: Options,
	place: ChangePlace,
): Promise<Restored> {
	// Also after a power cut, it is known what was about to be done.
	const store = synced(place.store);
	const after = await saveTree(store, {session}, entriesOf(restores, 'wanted'), `wanted by ${how} ${id}`);
	const before = await writeTree(store, entriesOf(restores, 'current'));
	const event = eventOf(restores, {id, how, before, after, steps: [...steps]});
	await saveTree(store, {session}, entriesOf(restores, 'current'), noteOf('before', event));
	return carryOut(event, {done: [], left: restores}, session, place);
}

/**
 * Finishes the last restore of a session, if it isn't among its events: the program was killed before it was recorded. Files that
 * somebody has changed since then stay as they are. Returns undefined if there is none. Throws AppError("not-found") if its
 * contents are gone.
 */
export async function finishRestore(
	session: string,
	isRecorded: (id: string) => boolean,
	place: ChangePlace,
): Promise<Restored | undefined> {
	const {store} = place;
	const head = await store.ref(session);
	const note = head && readNote(await store.get('commit', head).catch(() => Buffer.alloc(0)));
	if (!note || isRecorded(note.event.id)) {
		return undefined;
	}

	const {event, phase} = note;
	const changes = await diffTrees(store, event.before, event.after);
	const restores = changes.map(({path, before, after}) => ({path, current: before, wanted: after}));
	if (phase === 'after') {
		return {event, restored: restores.map(({path}) => pathText(path)), failed: []};
	}

	const done = new Set<FileRestore>();
	for (const restore of restores) {
		if (isSameEntry(await entryNow(restore.path, place), restore.wanted)) {
			done.add(restore);
		}
	}

	return carryOut(event, {done: [...done], left: restores.filter(each => !done.has(each))}, session, place);
}

type Work = {readonly done: readonly FileRestore[]; readonly left: readonly FileRestore[]};

/** Restores the files that are left, and stores what was done then. */
async function carryOut(
	planned: RestoreEvent,
	work: Work,
	session: string,
	{store, bounds, signal}: ChangePlace,
): Promise<Restored> {
	const done = [...work.done];
	const failed: string[] = [];
	for (const restore of work.left) {
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

	const {id, how, steps} = planned;
	const save = (side: 'current' | 'wanted', message: string) =>
		saveTree(store, {session}, entriesOf(done, side), message);
	const treesOf = async () => ({
		before: await save('current', `before ${how} ${id}`),
		after: await save('wanted', `after ${how} ${id}`),
	});
	const isWhole = failed.length === 0;
	const isNothing = done.length === 0 && !(isWhole && steps.length > 0);
	// What can't be stored counts as restored with the others: the user is asked about a file that isn't.
	const trees = isWhole ? planned : await treesOf().catch(() => planned);
	const event = eventOf(done, {id, how, before: trees.before, after: trees.after, steps: isWhole ? steps : []});
	// If this fails, the journal still has the event.
	await save('wanted', isNothing ? `after ${how} ${id}` : noteOf('after', event)).catch(() => undefined);
	return {event: isNothing ? undefined : event, restored: done.map(({path}) => pathText(path)), failed};
}

function eventOf(
	restores: readonly FileRestore[],
	event: Pick<RestoreEvent, 'id' | 'how' | 'before' | 'after' | 'steps'>,
): RestoreEvent {
	const paths = restores.map(({path}) => pathText(path));
	return {type: 'restore', ...event, paths: paths.slice(0, maxPaths), count: paths.length};
}

function entriesOf(restores: readonly FileRestore[], side: 'current' | 'wanted'): ReadonlyMap<string, TreeEntry> {
	return new Map(restores.flatMap(({path, [side]: entry}) => (entry ? [[path, entry] as const] : [])));
}

/** Returns a store whose objects and refs survive a power cut. */
function synced(store: ObjectStore): ObjectStore {
	return {
		...store,
		put: (type, content) => store.put(type, content, true),
		setRef: (name, id) => store.setRef(name, id, true),
	};
}

/** Returns the message of the commit that is stored before a restore with what it is about to do, and after it with what it did. */
function noteOf(phase: 'before' | 'after', event: RestoreEvent): string {
	return `${phase} a restore\n\n${JSON.stringify(event)}`;
}

function readNote(commit: Buffer) {
	const [, phase, json = ''] = /\n\n(before|after) a restore\n\n(.*)\n$/.exec(commit.toString()) ?? [];
	const event = parseRestore(parseJson(json));
	return event && {event, phase};
}
