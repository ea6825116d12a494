import {join} from 'node:path';
import {AppError} from '../core/error.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import type {Home} from './home.ts';
import {type JournalContent, readJournal} from './journal-read.ts';
import {repairTail} from './journal-repair.ts';
import {createLineWriter, type JournalState} from './journal-writer.ts';
import {type Lock, tryLock} from './lock.ts';
import {createSessionFolder, type SessionFile, sessionFolder} from './session-folder.ts';

/** The file of one session, open for writing by this process alone. */
export type Journal = {
	readonly session: string;
	/** Where the session lies, or will once its first message is sent. */
	readonly path: string;
	/**
	 * Takes the next record. Never throws and never waits: records of one turn of the loop go out in one write of whole
	 * lines. Nothing is written before the first user message, so that an empty session leaves nothing.
	 */
	readonly append: (record: Recorded) => void;
	/** Waits until all records are in the file, or cannot be: a message counts as saved when this says so. */
	readonly flush: () => Promise<JournalState>;
	/** Flushes, and lets other processes have the session. What is appended later is dropped. */
	readonly close: () => Promise<JournalState>;
};

type OnState = (state: JournalState) => void;

/** Events after which the disk must have everything: what cannot be asked for again. Deltas can wait for the next one. */
const durable: ReadonlySet<AgentEvent['type']> = new Set([
	'user-message',
	'tool-result',
	'compaction',
	'rename',
	'run-end',
]);

type CreateOptions = {
	readonly home: Home;
	/** The working folder; it need not be a real path. */
	readonly folder: string;
	/** A new UUID, in lower case. */
	readonly session: string;
	/** Told each time that writing begins to fail, fails for another reason, or works again (SAFETY 19). */
	readonly onState?: OnState;
};

/** A journal for a new session. Makes no file yet. Never throws. */
export async function createJournal({home, folder, session, onState}: CreateOptions): Promise<Journal> {
	const place = await sessionFolder(home, folder);
	const path = join(place.path, `${session}.jsonl`);
	let lock: Lock | undefined;
	const prepare = async () => {
		await createSessionFolder(place);
		lock ??= lockSession(path);
	};

	return start({session, path, size: undefined, begun: false, prepare, release: () => lock?.release(), onState});
}

/** A session that goes on. */
export type OpenedJournal = JournalContent & {
	readonly journal: Journal;
	/** The file that a torn last line was moved to; undefined where there was none. Tell the user. */
	readonly setAside: string | undefined;
};

/**
 * Opens an existing session to go on with it: takes its lock, reads it, and sets a torn tail aside (SAFETY 17). Throws
 * `AppError`: `conflict` where another process has the session open, `failed` for a file that cannot be read.
 */
export async function openJournal(
	{id, path}: Pick<SessionFile, 'id' | 'path'>,
	onState?: OnState,
): Promise<OpenedJournal> {
	const lock = lockSession(path);
	try {
		const content = await readJournal(path);
		const setAside = await repairTail(path, content);
		const {wholeBytes, tornBytes, tornIsRecord} = content;
		const size = tornIsRecord ? wholeBytes + tornBytes + 1 : wholeBytes;
		const prepare = () => Promise.resolve();
		const journal = start({session: id, path, size, begun: true, prepare, release: lock.release, onState});
		return {...content, journal, setAside};
	} catch (error) {
		lock.release();
		throw error;
	}
}

function lockSession(path: string): Lock {
	const lock = tryLock(`${path}.lock`);
	if ('release' in lock) {
		return lock;
	}

	throw new AppError('conflict', `This session is open in another window (process ${lock.pid} on ${lock.host}).`, {
		hint: `Close it there, start a new session, or delete ${path}.lock if there is no such process.`,
	});
}

type StartOptions = {
	readonly session: string;
	readonly path: string;
	readonly size: number | undefined;
	/** True once a user message was seen. */
	readonly begun: boolean;
	readonly prepare: () => Promise<void>;
	readonly release: () => void;
	readonly onState: OnState | undefined;
};

function start({session, path, size, begun, prepare, release, onState = () => undefined}: StartOptions): Journal {
	const writer = createLineWriter({path, size, prepare, onState});
	const held: Recorded[] = [];
	let hasBegun = begun;
	let closed = false;

	return {
		session,
		path,
		append: record => {
			if (closed) {
				return;
			}

			held.push(record);
			hasBegun ||= record.event.type === 'user-message';
			if (hasBegun) {
				for (const next of held.splice(0)) {
					writer.write(JSON.stringify(next), durable.has(next.event.type));
				}
			}
		},
		flush: writer.flush,
		close: async () => {
			closed = true;
			try {
				return await writer.close();
			} finally {
				release();
			}
		},
	};
}
