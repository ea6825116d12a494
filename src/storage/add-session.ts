import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import {type AgentEvent, parseRecorded, type Recorded} from '../core/session/event.ts';
import type {Home} from './home.ts';
import {createJournal} from './journal.ts';
import type {JournalState} from './journal-writer.ts';
import {assertPrivate, noFollow, replaceFile} from './private-file.ts';
import {createSessionFolder, type SessionFile, sessionFiles, sessionFolder} from './session-folder.ts';

/** A session to add: its records have its id. */
export type NewSession = {readonly id: string; readonly folder: string; readonly records: readonly Recorded[]};

/** Returns the files of all sessions on this machine, by id. */
export async function sessionsById(home: Home): Promise<ReadonlyMap<string, SessionFile>> {
	return new Map((await sessionFiles(home)).map(file => [file.id, file]));
}

/** Longer ones are no notice of an import. */
const maxFirstRecordBytes = 64 * 1024;

/** Returns the event that a session begins with; undefined if it can't be read. */
export async function firstEvent({path}: SessionFile): Promise<AgentEvent | undefined> {
	try {
		const file = await open(path, constants.O_RDONLY | noFollow);
		try {
			assertPrivate(file.fd, path);
			const {buffer, bytesRead} = await file.read(Buffer.alloc(maxFirstRecordBytes), 0, maxFirstRecordBytes, 0);
			const end = buffer.subarray(0, bytesRead).indexOf(10);
			return parseRecorded(parseJson(buffer.toString('utf8', 0, Math.max(0, end))))?.event;
		} finally {
			await file.close();
		}
	} catch {
		return undefined;
	}
}

/** Writes a session that happened elsewhere, and returns its file. Throws AppError("failed") if not all of it could be written. */
export async function addSession(home: Home, {id, folder, records}: NewSession): Promise<SessionFile> {
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

	return {id, path: journal.path, folder};
}

/** Writes a session that was handed over: its file is there as a whole, or not at all. Throws AppError("failed"). */
export async function addWholeSession(home: Home, {id, folder, records}: NewSession): Promise<void> {
	const place = await sessionFolder(home, folder);
	await createSessionFolder(place);
	await replaceFile(join(place.path, `${id}.jsonl`), records.map(record => `${JSON.stringify(record)}\n`).join(''));
}
