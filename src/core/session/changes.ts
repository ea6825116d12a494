import type {Block} from './block.ts';
import type {EventOf} from './event.ts';
import {blocksOf, type Transcript} from './transcript.ts';

/** How file changes are taken back. */
export type RestoreKind = EventOf<'restore'>['how'];

/** A change of files in a session. Its contents are in the store of the folder: `before` and `after` are ids there. */
export type ChangeStep = {
	/**
	 * The id of the tool call, of the message that another agent answered, of the time in which background jobs ran, or of
	 * the restore.
	 */
	readonly id: string;
	readonly by: 'agent' | RestoreKind;
	/** The id of the user's message that it followed; empty for a restore. */
	readonly message: string;
	readonly before: string;
	/** Undefined if the program ended before the contents were saved. */
	readonly after: string | undefined;
	/** The only file that it may have changed. */
	readonly path?: string;
	/** The background jobs that ran. The user may have changed files meanwhile, too. */
	readonly job?: string;
	/** True if another session was at work in the folder: it may have changed files, too. */
	readonly shared?: boolean;
	/** The id of the restore that took it back. */
	readonly undoneBy?: string;
};

/** Returns the changes of files in a session, in order. */
export function changeSteps(transcript: Pick<Transcript, 'changes' | 'settled' | 'open'>): readonly ChangeStep[] {
	const messages = new Map<string, string>();
	let message = '';
	for (const block of blocksOf(transcript)) {
		message = block.kind === 'user' ? block.id : message;
		if (block.kind === 'tool' || block.kind === 'user') {
			messages.set(block.id, message);
		}
	}

	return readSteps(transcript.changes, call => messages.get(call) ?? '');
}

/** Returns the steps of these events. `messageOf` returns the message that a call followed. */
export function readSteps(events: Transcript['changes'], messageOf: (call: string) => string): readonly ChangeStep[] {
	return events.reduce<readonly ChangeStep[]>(
		(steps, event) =>
			event.type === 'restore' ? addRestore(steps, event) : addCheckpoint(steps, event, messageOf(event.id)),
		[],
	);
}

/** Adds a checkpoint: the first of a call begins a step, the last one ends it. */
function addCheckpoint(
	steps: readonly ChangeStep[],
	{id, phase, tree, path, job, shared}: EventOf<'checkpoint'>,
	messageOfCall: string,
): readonly ChangeStep[] {
	if (phase === 'before') {
		// What jobs do belongs to the message whose changes it follows.
		const message = job === undefined ? messageOfCall : (steps.findLast(({by}) => by === 'agent')?.message ?? '');
		const only = {...(path !== undefined && {path}), ...(job !== undefined && {job})};
		return [...steps, {id, by: 'agent', message, before: tree, after: undefined, ...only}];
	}

	const index = steps.findLastIndex(step => step.id === id && step.after === undefined);
	const step = steps[index];
	return step ? steps.with(index, {...step, after: tree, ...(shared && {shared})}) : steps;
}

/**
 * Adds a restore, and marks the steps that it takes back. Restoring a restore brings its steps into effect again. So does a redo
 * that didn't restore all of its files: an undo then reaches those that it did, and another redo restores the rest.
 */
function addRestore(
	steps: readonly ChangeStep[],
	{id, how, before, after, steps: undone}: EventOf<'restore'>,
): readonly ChangeStep[] {
	const redone = how === 'redo' && undone.length === 0 ? redoOf(steps) : new Set(undone);
	const marked = steps.map(({undoneBy, ...step}): ChangeStep => {
		if (undone.includes(step.id)) {
			return {...step, undoneBy: id};
		}

		return undoneBy === undefined || redone.has(undoneBy) ? step : {...step, undoneBy};
	});
	return [...marked, {id, by: how, message: '', before, after}];
}

/** Returns the restore that a redo takes back: the last one, unless the agent changed files since. None if there is none. */
export function redoOf(steps: readonly ChangeStep[]): ReadonlySet<string> {
	const last = steps.findLast(({by, undoneBy}) => by === 'agent' || (by !== 'redo' && undoneBy === undefined));
	return new Set(last && last.by !== 'agent' ? [last.id] : []);
}

/** Returns the sentence about files that the user restored. */
export function restoreText({how, paths, count}: Extract<Block, {kind: 'restore'}>): string {
	const verb = how === 'redo' ? 'Redid' : 'Undid';
	const more = count > paths.length ? ` and ${count - paths.length} more` : '';
	return `${verb} changes to ${count} ${count === 1 ? 'file' : 'files'}: ${paths.join(', ')}${more}`;
}
