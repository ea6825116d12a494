import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import {type AgentEvent, parseRecorded, type Recorded} from '../core/session/event.ts';
import {reduceTranscript, replayTranscript} from '../core/session/reduce-transcript.ts';
import type {Transcript} from '../core/session/transcript.ts';
import type {MessageUsage} from '../core/session/usage.ts';
import type {Home} from './home.ts';
import {createJournal, type Journal, type OpenedJournal, openJournal} from './journal.ts';
import {type JournalContent, readJournal} from './journal-read.ts';
import type {JournalState} from './journal-writer.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SpendLedger} from './read-ledger.ts';
import type {SessionFile} from './session-folder.ts';
import type {SessionSummary} from './session-summary.ts';
import {findSession, listSessions, newestSession} from './sessions.ts';

type ReadSession = {readonly records: readonly Recorded[]; readonly transcript: Transcript};

/** The sessions on this machine, for commands and the app. */
export type SavedSessions = {
	/** Returns the sessions of the working folder, or of all, newest first. */
	readonly list: (all: boolean) => Promise<readonly SessionSummary[]>;
	/** Finds a session by id or unique prefix. Throws what `findSession` throws. */
	readonly find: (idOrPrefix: string) => Promise<SessionSummary>;
	/** Returns the given session, or the newest of the working folder. Throws what `find` throws. */
	readonly findOrLatest: (idOrPrefix: string | undefined) => Promise<SessionSummary>;
	/**
	 * Returns what a list shows of the session of the working folder that was written last, without reading the others; undefined
	 * if there is none, or it takes long to read.
	 */
	readonly newest: () => Promise<SessionSummary | undefined>;
	readonly read: (session: SessionFile) => Promise<ReadSession>;
	/** Returns the usage of their messages, by session id; see `readUsage`. */
	readonly usageOf: (sessions: readonly SessionFile[]) => Promise<ReadonlyMap<string, readonly MessageUsage[]>>;
	/** Returns the requests of all sessions within some time; see `readLedger`. */
	readonly ledger: (within: {readonly from: number; readonly to: number}) => Promise<SpendLedger>;
	/** Records an event in a session that isn't open. Throws AppError("conflict") if it's open in another window. */
	readonly record: (session: SessionFile, event: AgentEvent) => Promise<void>;
};

/** The same, for the program, which opens them. */
export type SessionAccess = SavedSessions & {
	/**
	 * Opens a session to continue it. `notices` tell the user what is wrong with its file. Throws the signal's reason, with the
	 * session released for others.
	 */
	readonly resume: (
		session: SessionFile,
		signal?: AbortSignal,
	) => Promise<ReadSession & {readonly journal: Journal; readonly notices: readonly string[]}>;
	/** Returns the journal of a new session, which has no file before its first message. */
	readonly create: (session: string) => Promise<Journal>;
};

type Options = {
	readonly home: Home;
	readonly folder: string;
	/** Called when writing the session with this id starts to fail, fails for another reason, or works again. */
	readonly onState: (state: JournalState, session: string) => void;
	/** Returns the time as ISO 8601 in UTC. */
	readonly now?: () => string;
};

export function createSessionAccess({
	home,
	folder,
	onState,
	now = () => new Date().toISOString(),
}: Options): SessionAccess {
	const latest = async () => {
		// A program that was killed before its first message was on the disk leaves a file without one.
		const newest = (await listSessions(home, {folder})).find(({messages}) => messages > 0);
		if (!newest) {
			throw new AppError('not-found', 'No sessions in this folder yet.', {
				hint: 'Send a message to start one, or list all folders with `sessions --all`.',
			});
		}

		return newest;
	};

	return {
		list: all => listSessions(home, all ? {} : {folder}),
		find: idOrPrefix => findSession(home, idOrPrefix),
		findOrLatest: idOrPrefix => (idOrPrefix ? findSession(home, idOrPrefix) : latest()),
		newest: () => newestSession(home, folder),
		async read({id, path}) {
			const content = await readJournal(path);
			return {records: content.records, transcript: replay(id, content)};
		},
		usageOf: files => readUsage(files),
		ledger: async within => (await import('./read-ledger.ts')).readLedger(home, within),
		record: (file, event) => appendEvent(file, event, {now, onState: state => onState(state, file.id)}),
		async resume(file, signal) {
			const opened = await openJournal(file, state => onState(state, file.id), signal);
			const {journal, records} = opened;
			return {records, transcript: replay(file.id, opened), journal, notices: noticesOf(opened)};
		},
		create: session => createJournal({home, folder, session, onState: state => onState(state, session)}),
	};
}

type Appending = {readonly now?: () => string; readonly onState?: (state: JournalState) => void};

/**
 * Records an event in a session that isn't open. Throws AppError("conflict") if it's open in another window, and AppError("failed") if the
 * event wasn't saved.
 */
export async function appendEvent(
	file: Pick<SessionFile, 'id' | 'path'>,
	event: AgentEvent,
	{now = () => new Date().toISOString(), onState}: Appending = {},
): Promise<void> {
	const {journal, records, nextSeq} = await openJournal(file, onState);
	const server = records.at(-1)?.server ?? 'local';
	journal.append({v: 1, seq: nextSeq, at: now(), session: file.id, server, event});
	const state = await journal.close();
	if (!state.saved) {
		throw new AppError('failed', `The session wasn't saved: ${state.reason}.`, {
			hint: 'Free some space, then try again.',
		});
	}
}

/** Returns what the user must know about a damaged or newer file. */
function noticesOf({setAside, skipped, unknown}: OpenedJournal): readonly string[] {
	const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'} of this session`;
	return [
		...(setAside ? [`The last record of this session was cut off; it was moved to ${setAside}.`] : []),
		...(skipped > 0 ? [`Unreadable and not shown: ${count(skipped, 'line')}. The file is unchanged.`] : []),
		...(unknown > 0 ? [`From a newer version and not shown: ${count(unknown, 'record')}. The file is unchanged.`] : []),
	];
}

/** Returns the transcript of recorded events. A run without an end is ended: its process is gone. */
function replay(session: string, {records, nextSeq}: JournalContent): Transcript {
	const read = replayTranscript(session, records);
	const event: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	const ended = read.run
		? reduceTranscript(read, {v: 1, seq: nextSeq, at: read.run.startedAt, session, server: read.run.server, event})
		: read;
	// That end isn't in the file, but unknown records are: the next record follows those.
	return {...ended, seq: nextSeq - 1};
}

/** The most that is read for one list, because the user waits for it. */
const defaultMaxBytes = 32 * 1024 * 1024;
const usageLine = '"type":"usage"';

/**
 * Returns the usage of each message of these sessions, by session id. Sessions are read in order; those beyond 32 MiB in
 * total, and unreadable ones, are left out.
 */
async function readUsage(
	files: readonly SessionFile[],
	maxBytes = defaultMaxBytes,
): Promise<ReadonlyMap<string, readonly MessageUsage[]>> {
	const found = new Map<string, readonly MessageUsage[]>();
	let leftBytes = maxBytes;
	for (const {id, path} of files) {
		try {
			const text = await readUpTo(path, leftBytes);
			if (text !== undefined) {
				leftBytes -= text.length;
				found.set(id, usagesOf(text));
			}
		} catch {
			// The list leaves it out; opening it shows the error.
		}
	}

	return found;
}

/** Returns the whole file; undefined if it's larger than `maxBytes`. */
async function readUpTo(path: string, maxBytes: number): Promise<Buffer | undefined> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		return assertPrivate(file.fd, path).size <= maxBytes ? await file.readFile() : undefined;
	} finally {
		await file.close();
	}
}

/** Returns the last usage of each message. Most lines are deltas, which aren't parsed. */
function usagesOf(text: Buffer): readonly MessageUsage[] {
	const messages = new Map<string, MessageUsage>();
	for (const line of text.toString('utf8').split('\n')) {
		const {event, at = ''} = (line.includes(usageLine) && parseRecorded(parseJson(line))) || {};
		if (event?.type === 'usage') {
			const {messageId, type: _, ...reported} = event;
			messages.set(messageId, {...reported, current: true, at: messages.get(messageId)?.at ?? at});
		}
	}

	return [...messages.values()];
}
