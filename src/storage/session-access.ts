import {AppError} from '../core/error.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {emptyTranscript, reduceTranscript, type Transcript} from '../core/session/transcript.ts';
import type {MessageUsage} from '../core/session/usage.ts';
import type {Home} from './home.ts';
import {createJournal, type Journal, type OpenedJournal, openJournal} from './journal.ts';
import {type JournalContent, readJournal} from './journal-read.ts';
import type {JournalState} from './journal-writer.ts';
import {readUsage} from './read-usage.ts';
import type {SessionFile} from './session-folder.ts';
import type {SessionSummary} from './session-summary.ts';
import {findSession, listSessions} from './sessions.ts';

type ReadSession = {readonly records: readonly Recorded[]; readonly transcript: Transcript};

/** The sessions on this machine, as commands and the app use them. `folder` is the one that the program works in. */
export type SessionAccess = {
	/** Newest first; of this folder, or of all. */
	readonly list: (all: boolean) => Promise<readonly SessionSummary[]>;
	/** By id or unique prefix. Throws `not-found`, or `usage` where several begin so. */
	readonly find: (idOrPrefix: string) => Promise<SessionSummary>;
	/** The session that is named, or the newest one of this folder where none is. Throws as `find`. */
	readonly findOrLatest: (idOrPrefix: string | undefined) => Promise<SessionSummary>;
	readonly read: (session: SessionFile) => Promise<ReadSession>;
	/** What their messages used, by the id of the session; see `readUsage`. */
	readonly usageOf: (sessions: readonly SessionFile[]) => Promise<ReadonlyMap<string, readonly MessageUsage[]>>;
	/** Writes a title into a session that no window has open. Throws `conflict` where one has. */
	readonly rename: (session: SessionFile, title: string) => Promise<void>;
	/** Takes a session to go on with it. `notices` are what the user must know about its file. */
	readonly resume: (
		session: SessionFile,
	) => Promise<ReadSession & {readonly journal: Journal; readonly notices: readonly string[]}>;
	/** The journal of a new session; makes no file before its first message. */
	readonly create: (session: string) => Promise<Journal>;
};

type Options = {
	readonly home: Home;
	readonly folder: string;
	readonly onState: (state: JournalState) => void;
	/** The time as ISO 8601 in UTC. */
	readonly now?: () => string;
};

export function createSessionAccess({
	home,
	folder,
	onState,
	now = () => new Date().toISOString(),
}: Options): SessionAccess {
	const latest = async () => {
		const [newest] = await listSessions(home, {folder});
		if (!newest) {
			throw new AppError('not-found', 'There is no session in this folder yet.', {
				hint: 'Send a message to begin one, or run `sessions --all` to see those of other folders.',
			});
		}

		return newest;
	};

	return {
		list: all => listSessions(home, all ? {} : {folder}),
		find: idOrPrefix => findSession(home, idOrPrefix),
		findOrLatest: idOrPrefix => (idOrPrefix ? findSession(home, idOrPrefix) : latest()),
		async read({id, path}) {
			const content = await readJournal(path);
			return {records: content.records, transcript: replay(id, content)};
		},
		usageOf: files => readUsage(files),
		async rename(file, title) {
			const {journal, records, nextSeq} = await openJournal(file, onState);
			const event: AgentEvent = {type: 'rename', title};
			const server = records.at(-1)?.server ?? 'local';
			journal.append({v: 1, seq: nextSeq, at: now(), session: file.id, server, event});
			const state = await journal.close();
			if (!state.saved) {
				throw new AppError('failed', `The title was not saved: ${state.reason}.`, {
					hint: 'Free some space, then try again.',
				});
			}
		},
		async resume(file) {
			const opened = await openJournal(file, onState);
			const {journal, records} = opened;
			return {records, transcript: replay(file.id, opened), journal, notices: noticesOf(opened)};
		},
		create: session => createJournal({home, folder, session, onState}),
	};
}

/** What the user must know of a file that is not as we left it. */
function noticesOf({setAside, skipped, unknown}: OpenedJournal): readonly string[] {
	const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'} of this session`;
	return [
		...(setAside ? [`The last record of this session was cut off; it was moved to ${setAside}.`] : []),
		...(skipped > 0 ? [`Not shown, because unreadable: ${count(skipped, 'line')}. The file keeps what it has.`] : []),
		...(unknown > 0
			? [`Not shown, because from a newer version: ${count(unknown, 'record')}. The file keeps what it has.`]
			: []),
	];
}

/** The transcript of recorded events; a run that never ended is over, because its process is. */
function replay(session: string, {records, nextSeq}: Pick<JournalContent, 'records' | 'nextSeq'>): Transcript {
	const read = records.reduce(reduceTranscript, emptyTranscript(session));
	const event: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	const ended = read.run
		? reduceTranscript(read, {v: 1, seq: nextSeq, at: read.run.startedAt, session, server: read.run.server, event})
		: read;
	// That end is not in the file, and records that this version does not know are: the next one follows them.
	return {...ended, seq: nextSeq - 1};
}
