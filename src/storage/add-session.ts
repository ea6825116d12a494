import {AppError} from '../core/error.ts';
import type {Recorded} from '../core/session/event.ts';
import type {Home} from './home.ts';
import {createJournal} from './journal.ts';
import type {JournalState} from './journal-writer.ts';
import {sessionFiles} from './session-folder.ts';

/** A session to add: its records have its id. */
export type NewSession = {readonly id: string; readonly folder: string; readonly records: readonly Recorded[]};

/** Returns the ids of all sessions on this machine. */
export async function sessionIds(home: Home): Promise<ReadonlySet<string>> {
	return new Set((await sessionFiles(home)).map(({id}) => id));
}

/** Writes a session that happened elsewhere. Throws AppError("failed") if not all of it could be written. */
export async function addSession(home: Home, {id, folder, records}: NewSession): Promise<void> {
	let state: JournalState = {saved: true};
	const journal = await createJournal({home, folder, session: id, onState: next => (state = next)});
	for (const record of records) {
		journal.append(record);
	}

	state = await journal.close();
	if (!state.saved) {
		throw new AppError('failed', `The session wasn't saved: ${state.reason}.`, {
			hint: 'Free some space, then try again.',
		});
	}
}
