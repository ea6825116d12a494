import type {Recorded} from '../core/session/event.ts';

/** Returns the records before a message of the user, without the start of the run that it belongs to. */
export function recordsBefore(records: readonly Recorded[], messageId: string): readonly Recorded[] {
	const index = records.findIndex(({event}) => event.type === 'user-message' && event.id === messageId);
	const end = records[index - 1]?.event.type === 'run-start' ? index - 1 : index;
	return records.slice(0, Math.max(0, end));
}

/** Returns the records as those of another session, numbered from 0. */
export function renumbered(records: readonly Recorded[], session: string): readonly Recorded[] {
	return records.map((record, seq) => ({...record, seq, session}));
}
