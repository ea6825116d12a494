import {AppError} from '../core/error.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import type {AppStore} from '../store/store.ts';
import type {Recorder} from './recorder.ts';

type Saved = {
	readonly store: AppStore;
	/** Returns the records of a session whose log was flushed. */
	readonly readLog: (session: string) => Promise<readonly Recorded[]>;
};

/** Returns all records of the current session. Throws AppError("conflict") if the last ones could not be written. */
export async function readSaved(recorder: Recorder, {store, readLog}: Saved): Promise<readonly Recorded[]> {
	await recorder.flushLog();
	const {unsaved} = store.getState();
	if (unsaved) {
		throw new AppError('conflict', `This session is not saved (${unsaved}), so it cannot continue from there.`, {
			hint: 'Fix that first, or send it as a new message.',
		});
	}

	return readLog(recorder.session());
}

/**
 * Returns the records of a session for another one: all, or those before a message of the user without the start of the run
 * that it belongs to. Rules of the session that allowed something since then are left out; those that deny something, or
 * take a rule back, stay.
 */
export function forkedRecords(records: readonly Recorded[], session: string, before?: string): readonly Recorded[] {
	const kept = withRunEnded(before === undefined ? records : recordsBefore(records, before));
	const rules = before === undefined ? [] : rulesSince(records, before);
	return [...kept, ...rules].map((record, seq) => ({...record, seq, session}));
}

function recordsBefore(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	return records.slice(0, startOf(records, messageId));
}

/** Returns the records with the end of a run that has none: a message joined it later, or its program was killed. */
function withRunEnded(records: readonly Recorded[]): readonly Recorded[] {
	const last = records.findLast(({event}) => event.type === 'run-start' || event.type === 'run-end');
	const event: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	return last?.event.type === 'run-start' ? [...records, {...last, at: records.at(-1)?.at ?? last.at, event}] : records;
}

/** Returns the changes of rules since a message that leave the agent no more than it had before that. */
function rulesSince(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	return records
		.slice(startOf(records, messageId))
		.filter(({event}) => event.type === 'session-rule' && (event.effect === 'allow') === (event.removed === true));
}

function startOf(records: readonly Recorded[], messageId: string): number {
	const index = records.findIndex(({event}) => event.type === 'user-message' && event.id === messageId);
	const end = records[index - 1]?.event.type === 'run-start' ? index - 1 : index;
	return Math.max(0, end);
}
