import {randomUUID} from 'node:crypto';
import type {AgentEvent} from '../../core/session/event.ts';

/** What runs in the background. `done` resolves when it has ended. */
export type TrackedJob = {readonly id: string; readonly done: Promise<void>};

/** How the folder is stored. */
export type JobContents = {
	/** Stores the folder as it was when it was last read. Returns the id of the tree; undefined if it isn't known. */
	readonly saveLast: (message: string) => Promise<string | undefined>;
	/** Reads the folder and stores it, as if the user had not restored anything. Returns the id of the tree. */
	readonly saveNow: (since: Since, restored?: Restore) => Promise<string>;
};

type Options = JobContents & {
	/** Returns the event that tells the user about a failure. */
	readonly warn: (error: unknown) => readonly AgentEvent[];
	readonly emit: (event: AgentEvent) => void;
};

type Since = {readonly tree: string; readonly startedAtMs: number};
type Restore = Extract<AgentEvent, {type: 'restore'}>;
type Window = Since & {readonly id: string; readonly job: string};

/**
 * Records what changes while background jobs run, between the calls of tools: from the end of one to the beginning of the
 * next, to the end of the last job, or to a restore by the user.
 */
export type JobChanges = {
	readonly started: (job: TrackedJob) => void;
	/** Begins to watch, if jobs run. Call it when a call has ended. */
	readonly resume: () => Promise<void>;
	/** Records what has changed so far. Call it before another call begins. */
	readonly pause: () => Promise<void>;
	/** Records what has changed, without what the user restored. */
	readonly restored: (event: Restore) => Promise<void>;
	/** Resolves when everything is recorded; nothing is recorded later. */
	readonly close: () => Promise<void>;
};

export function createJobChanges({warn, emit, ...contents}: Options): JobChanges {
	const running = new Set<TrackedJob>();
	let isClosed = false;
	let last: Promise<void> = Promise.resolve();
	const tell = (event: AgentEvent) => {
		if (!isClosed) {
			emit(event);
		}
	};
	const {open, close} = createWindow(contents, tell);

	/** One at a time: all of them read the folder. */
	const inOrder = (work: () => Promise<void>): Promise<void> => {
		last = last.then(() => work().catch((error: unknown) => warn(error).forEach(tell)));
		return last;
	};
	const resume = async () => {
		if (running.size > 0) {
			await open([...running].map(({id}) => id).join(', '));
		}
	};

	return {
		started(job) {
			running.add(job);
			void job.done.then(() => {
				running.delete(job);
				return running.size === 0 ? inOrder(close) : undefined;
			});
		},
		resume: () => inOrder(resume),
		pause: () => inOrder(close),
		restored: event =>
			inOrder(async () => {
				await close(event);
				await resume();
			}),
		async close() {
			await last;
			isClosed = true;
		},
	};
}

/** Creates the time in which jobs run and no call does: what changes in it is between its two checkpoints. */
function createWindow({saveLast, saveNow}: JobContents, tell: (event: AgentEvent) => void) {
	let window: Window | undefined;
	return {
		async open(job: string): Promise<void> {
			const startedAtMs = Date.now();
			const tree = window ? undefined : await saveLast(`before job ${job}`);
			if (tree !== undefined) {
				window = {id: randomUUID(), job, tree, startedAtMs};
				tell({type: 'checkpoint', id: window.id, phase: 'before', tree, job});
			}
		},
		async close(restored?: Restore): Promise<void> {
			const since = window;
			window = undefined;
			if (since) {
				const {id, job} = since;
				tell({type: 'checkpoint', id, phase: 'after', tree: await saveNow(since, restored), job});
			}
		},
	};
}
