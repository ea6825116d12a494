import {readdir, stat} from 'node:fs/promises';
import {isAbsolute, join, relative, sep} from 'node:path';
import {reportError} from '../../core/error.ts';
import type {Act} from '../../core/session/approval.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {writeBoundsOf} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import type {OpenChangeStore} from './change-store.ts';
import {createJobChanges, type JobContents, type TrackedJob} from './job-changes.ts';
import type {ObjectStore} from './object-store.ts';
import {readEntry} from './read-entry.ts';
import {filesOf, type KnownFiles, scanFolder} from './scan-folder.ts';
import {diffTrees, type EntryChange, type Files, saveTree, type TreeEntry, writeTree} from './tree.ts';

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
	/** Watches what a job changes after its call. What it changes is emitted as events of its own. */
	readonly jobStarted: (job: TrackedJob) => void;
	/** Records what jobs have changed, without what the user restored. */
	readonly restored: (event: Extract<AgentEvent, {type: 'restore'}>) => Promise<void>;
	/** Resolves when the changes of jobs that have ended are recorded; nothing is emitted later. */
	readonly close: () => Promise<void>;
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
	/** Records an event that belongs to no call. */
	readonly emit: (event: AgentEvent) => void;
};

/** A call that may be changing files. */
type Step = {
	readonly store: ObjectStore;
	readonly workspace: string;
	/** The file that it changes, relative to the folder; undefined for any. */
	readonly path: string | undefined;
	readonly tree: string;
	readonly startedAtMs: number;
};

/** How long saving may take once a run was interrupted. */
const endTimeoutMs = 5000;
const scanTimeoutMs = 20_000;

export function createChangeTracker(options: Options): ChangeTracker {
	const contents = createContents(options);
	const warn = createWarnings();
	const steps = createSteps(options, contents, warn);
	const jobs = createJobChanges({...jobContents(options, contents), warn, emit: options.emit});
	return {
		async before(call, act, signal) {
			const path = pathOf(act, options.workspace());
			if (path === 'none' || steps.has(call)) {
				return [];
			}

			await jobs.pause();
			return steps.begin(call, path, signal);
		},
		async after(call) {
			const events = await steps.end(call, AbortSignal.timeout(scanTimeoutMs));
			await jobs.resume();
			return events;
		},
		async end() {
			const events = await steps.endAll(AbortSignal.timeout(endTimeoutMs));
			await jobs.resume();
			return events;
		},
		jobStarted: jobs.started,
		restored: jobs.restored,
		close: jobs.close,
	};
}

/** What the folder holds, and where that is saved. */
type Contents = {
	readonly folderNow: FolderNow;
	readonly save: (store: ObjectStore, files: Files, message: string) => Promise<string>;
	/** True if another session may have changed files since a time, in milliseconds since 1970. */
	readonly isShared: (store: ObjectStore, sinceMs: number) => Promise<boolean>;
};

function createContents({session, parent, places}: Options): Contents {
	return {
		folderNow: createFolderNow(places),
		save: (store: ObjectStore, files: Files, message: string) => saveTree(store, {session, parent}, files, message),
		isShared: (store: ObjectStore, sinceMs: number) => hasOtherSession(store, session, sinceMs),
	};
}

/** Creates the steps of calls: what they may change is stored when they begin, and when they end. */
function createSteps({workspace, openStore}: Options, contents: Contents, warn: Warn) {
	const {folderNow, save} = contents;
	const steps = new Map<string, Step>();
	let ended = new Map<string, Promise<readonly AgentEvent[]>>();

	const end = (call: string, signal: AbortSignal) => {
		const step = steps.get(call);
		steps.delete(call);
		const events = step ? finish(call, step, contents, signal).catch(warn) : Promise.resolve([]);
		if (step) {
			ended.set(call, events);
		}

		return events;
	};

	return {
		has: (call: string) => steps.has(call),
		async begin(call: string, path: string | undefined, signal: AbortSignal): Promise<readonly AgentEvent[]> {
			ended = new Map();
			try {
				const folder = workspace();
				const store = await openStore(folder);
				const startedAtMs = Date.now();
				const saved =
					path === undefined
						? filesOf(await folderNow.scan(folder, store, signal))
						: await filesAt(folder, path, store);
				const tree = await save(store, saved, `before ${call}`);
				steps.set(call, {store, workspace: folder, path, tree, startedAtMs});
				return [{type: 'checkpoint', id: call, phase: 'before', tree, ...(path !== undefined && {path})}];
			} catch (error) {
				signal.throwIfAborted();
				return warn(error);
			}
		},
		end,
		async endAll(signal: AbortSignal) {
			for (const call of steps.keys()) {
				void end(call, signal);
			}

			return (await Promise.all(ended.values())).flat();
		},
	};
}

/** Stores what a call changed. */
async function finish(
	call: string,
	step: Step,
	{folderNow, save, isShared}: Contents,
	signal: AbortSignal,
): Promise<readonly AgentEvent[]> {
	const {store, path, workspace: folder} = step;
	if (path === undefined) {
		const files = await createdSince(step, await folderNow.scan(folder, store, signal));
		const shared = (await isShared(store, step.startedAtMs)) && {shared: true};
		const tree = await save(store, files, `after ${call}`);
		return [{type: 'checkpoint', id: call, phase: 'after', tree, ...shared}];
	}

	const files = await filesAt(folder, path, store);
	folderNow.note(folder, path, files.get(path));
	return [{type: 'checkpoint', id: call, phase: 'after', tree: await save(store, files, `after ${call}`)}];
}

/** Returns how the folder is stored while jobs run. */
function jobContents({workspace, openStore}: Options, {folderNow, save}: Contents): JobContents {
	return {
		async saveLast(message) {
			const files = folderNow.last(workspace());
			return files && save(await openStore(workspace()), filesOf(files), message);
		},
		async saveNow(since, restored) {
			const store = await openStore(workspace());
			const now = await folderNow.scan(workspace(), store, AbortSignal.timeout(scanTimeoutMs));
			const files = await createdSince({...since, store}, now);
			const undone = restored ? await diffTrees(store, restored.before, restored.after) : [];
			return save(store, withEntries(files, undone), 'after jobs');
		},
	};
}

type Warn = (error: unknown) => readonly AgentEvent[];

/** Returns what turns a failure into an event for the user, once for each. */
function createWarnings(): Warn {
	const told = new Set<string>();
	return error => {
		const path = error instanceof Error && 'path' in error ? error.path : undefined;
		const {message, hint} = reportError(explainFileError(error, 'read', `${path ?? 'a file'}`));
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
		case 'agent':
			return undefined;
		case 'mcp':
			return act.isLocal ? undefined : 'none';
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
async function createdSince(
	{store, tree, startedAtMs}: Pick<Step, 'store' | 'tree' | 'startedAtMs'>,
	now: KnownFiles,
): Promise<Files> {
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

/** Reads the folder, and knows it as it was when it was last read as a whole. */
type FolderNow = {
	/** Reads the folder. Throws as `scanFolder`. */
	readonly scan: (folder: string, store: ObjectStore, signal: AbortSignal) => Promise<KnownFiles>;
	/** Returns what was read last; undefined if the folder was never read, or not to its end. */
	readonly last: (folder: string) => KnownFiles | undefined;
	/** Notes what is at a path since; undefined for nothing. */
	readonly note: (folder: string, path: string, entry: TreeEntry | undefined) => void;
};

function createFolderNow(places: Places): FolderNow {
	let known: {readonly folder: string; readonly files: KnownFiles; readonly isWhole: boolean} | undefined;
	return {
		async scan(folder, store, signal) {
			const before: KnownFiles = known?.folder === folder ? known.files : new Map();
			known = {folder, files: before, isWhole: false};
			const bounds = await writeBoundsOf(folder, places);
			const files = await scanFolder({folder, store, signal, known: before, bounds});
			known = {folder, files, isWhole: true};
			return files;
		},
		last: folder => (known?.folder === folder && known.isWhole ? known.files : undefined),
		note(folder, path, entry) {
			if (known?.folder === folder) {
				const files = new Map(known.files);
				files.delete(path);
				// It is read again next time.
				known = {...known, files: entry ? files.set(path, {stamp: 'noted', entry, changedAtMs: Date.now()}) : files};
			}
		},
	};
}

/** Returns the files with the entries from before these changes. */
function withEntries(files: Files, changes: readonly EntryChange[]): Files {
	const next = new Map(files);
	for (const {path, before} of changes) {
		next.delete(path);
		if (before) {
			next.set(path, before);
		}
	}

	return next;
}

/** A session that began a step earlier and never ended it has ended itself. */
const maxStepMs = 60 * 60 * 1000;

/**
 * Returns true if another session, of this program or of another one, saved changes of the folder since a time, or is at
 * work in it: what changed meanwhile may be its work. `sinceMs` is in milliseconds since 1970.
 */
async function hasOtherSession(
	store: Pick<ObjectStore, 'path' | 'get' | 'ref'>,
	session: string,
	sinceMs: number,
): Promise<boolean> {
	const heads = join(store.path, 'refs', 'heads');
	for (const name of await readdir(heads).catch((): readonly string[] => [])) {
		const savedAtMs = name === session ? 0 : ((await stat(join(heads, name)).catch(() => undefined))?.mtimeMs ?? 0);
		if (savedAtMs >= sinceMs - clockToleranceMs) {
			return true;
		}

		if (savedAtMs >= Date.now() - maxStepMs && (await isAtWork(store, name))) {
			return true;
		}
	}

	return false;
}

/** True if the last commit of a session is from before a step: `saveTree` names it so. */
async function isAtWork(store: Pick<ObjectStore, 'get' | 'ref'>, session: string): Promise<boolean> {
	const id = await store.ref(session);
	const commit = id && (await store.get('commit', id).catch(() => undefined))?.toString();
	return commit?.includes('\n\nbefore ') ?? false;
}
