import {isAbsolute, join, relative, sep} from 'node:path';
import {reportError} from '../../core/error.ts';
import type {Act} from '../../core/session/approval.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import type {Places} from '../policy/protected-places.ts';
import {writeBoundsOf} from '../tools/files/bounds.ts';
import type {OpenChangeStore} from './change-store.ts';
import type {ObjectStore} from './object-store.ts';
import {readEntry} from './read-entry.ts';
import {saveTree} from './save-tree.ts';
import {filesOf, type KnownFiles, scanFolder} from './scan-folder.ts';
import {diffTrees, type Files, writeTree} from './tree.ts';

/** Saves the contents of files before and after tools change them, so that the user can take changes back. */
export type ChangeTracker = {
	/**
	 * Saves what an allowed act may change. Returns the events to record, none for an act that changes no file. If saving
	 * fails, the act goes on and an event tells the user. Throws the reason of `signal` only.
	 */
	readonly before: (call: string, act: Act, signal: AbortSignal) => Promise<readonly AgentEvent[]>;
	/** Saves what the call changed. Returns the events to record. */
	readonly after: (call: string) => Promise<readonly AgentEvent[]>;
	/** Ends the calls that an interruption ended, as `after` does. Calls that have ended are reported again. */
	readonly end: () => Promise<readonly AgentEvent[]>;
};

type Options = {
	/** Names the place of the contents, as of the session. */
	readonly session: string;
	/** The session that it continues. */
	readonly parent?: string | undefined;
	/** Returns the working folder, a real path. */
	readonly workspace: () => string;
	readonly places: Places;
	readonly openStore: OpenChangeStore;
};

/** A call that may be changing files. */
type Step = {
	readonly store: ObjectStore;
	readonly workspace: string;
	/** The file that it changes, relative to the folder; undefined for any. */
	readonly path: string | undefined;
	/** What was known of the folder before, if it may change any file. */
	readonly known: KnownFiles;
	readonly tree: string;
	readonly startedAtMs: number;
};

/** How long saving may take once a run was interrupted. */
const endTimeoutMs = 5000;

export function createChangeTracker({session, parent, workspace, places, openStore}: Options): ChangeTracker {
	const steps = new Map<string, Step>();
	let ended = new Map<string, Promise<readonly AgentEvent[]>>();
	let known: {readonly folder: string; readonly files: KnownFiles} = {folder: '', files: new Map()};

	const warn = createWarnings();
	const scan = async (folder: string, store: ObjectStore, signal: AbortSignal): Promise<KnownFiles> => {
		const before: KnownFiles = known.folder === folder ? known.files : new Map();
		const files = await scanFolder({
			...{folder, store, signal, known: before},
			bounds: await writeBoundsOf(folder, places),
		});
		known = {folder, files};
		return files;
	};

	const finish = async (call: string, step: Step, signal: AbortSignal): Promise<readonly AgentEvent[]> => {
		const {store, path} = step;
		try {
			const files =
				path === undefined
					? await createdSince(step, await scan(step.workspace, store, signal))
					: await filesAt(step.workspace, path, store);
			const tree = await saveTree(store, {session, parent}, files, `after ${call}`);
			return [{type: 'checkpoint', id: call, phase: 'after', tree}];
		} catch (error) {
			return warn(error);
		}
	};

	const endStep = (call: string, signal: AbortSignal) => {
		const step = steps.get(call);
		steps.delete(call);
		const events = step ? finish(call, step, signal) : Promise.resolve([]);
		if (step) {
			ended.set(call, events);
		}

		return events;
	};

	return {
		async before(call, act, signal) {
			const path = pathOf(act, workspace());
			if (path === 'none' || steps.has(call)) {
				return [];
			}

			ended = new Map();
			try {
				const folder = workspace();
				const store = await openStore(folder);
				const startedAtMs = Date.now();
				const files = path === undefined ? await scan(folder, store, signal) : new Map();
				const saved = path === undefined ? filesOf(files) : await filesAt(folder, path, store);
				const tree = await saveTree(store, {session, parent}, saved, `before ${call}`);
				steps.set(call, {store, workspace: folder, path, known: files, tree, startedAtMs});
				return [{type: 'checkpoint', id: call, phase: 'before', tree, ...(path !== undefined && {path})}];
			} catch (error) {
				signal.throwIfAborted();
				return warn(error);
			}
		},
		after: call => endStep(call, AbortSignal.timeout(endTimeoutMs * 4)),
		async end() {
			const signal = AbortSignal.timeout(endTimeoutMs);
			for (const call of steps.keys()) {
				void endStep(call, signal);
			}

			return (await Promise.all(ended.values())).flat();
		},
	};
}

/** Returns what turns a failure into an event for the user, once for each. */
function createWarnings(): (error: unknown) => readonly AgentEvent[] {
	const told = new Set<string>();
	return error => {
		const {message, hint} = reportError(error);
		const text = `This change can’t be undone later: ${message}`;
		const isNew = !told.has(text);
		told.add(text);
		return isNew ? [{type: 'notice', level: 'warning', text, ...(hint !== undefined && {hint})}] : [];
	};
}

/** Returns the one file that an act changes, undefined if it may change any, `none` if it changes none of the folder. */
function pathOf(act: Act, workspace: string): string | undefined {
	switch (act.kind) {
		case 'edit':
		case 'edit-secret': {
			const path = relative(workspace, act.path);
			return path.startsWith('..') || isAbsolute(path) ? 'none' : path.replaceAll(sep, '/');
		}
		case 'command':
			return undefined;
		default:
			return 'none';
	}
}

async function filesAt(folder: string, path: string, store: ObjectStore): Promise<Files> {
	const found = await readEntry(join(folder, path), store, {isSynced: true});
	return new Map(found ? [[path, found.entry]] : []);
}

/**
 * Returns what the folder has after a call. If the call changed what is ignored, files that it reveals are older than the
 * call: they count as neither created nor changed.
 */
async function createdSince({store, tree, startedAtMs}: Step, now: KnownFiles): Promise<Files> {
	const files = new Map(filesOf(now));
	const changes = await diffTrees(store, tree, await writeTree(store, files));
	if (changes.some(({path}) => /(?:^|\/)\.gitignore$/.test(path))) {
		for (const {path, before} of changes) {
			if (!before && (now.get(path)?.changedAtMs ?? 0) < startedAtMs - clockToleranceMs) {
				files.delete(path);
			}
		}
	}

	return files;
}

/** The clock of a file system may lag behind. */
const clockToleranceMs = 50;
