import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError} from '../core/error.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {writeWhole} from './append-file.ts';
import {explainFileError} from './file-error.ts';
import type {Home} from './home.ts';
import {type JournalContent, readJournal} from './journal-read.ts';
import {createLineWriter, type JournalState} from './journal-writer.ts';
import {type Lock, tryLock} from './lock.ts';
import {noFollow} from './private-file.ts';
import {makeSessionFolder, noteFolder, type SessionFile, sessionFolder, sweepSessionFolder} from './session-folder.ts';

/** The file of a session, locked by this process. */
export type Journal = {
	readonly session: string;
	/** Path of the file, which exists once the first message is sent. */
	readonly path: string;
	/**
	 * Queues a record. Never throws and never waits: the records of one turn of the event loop are one write of whole lines,
	 * and the pieces of a growing text wait a moment for the next ones.
	 * Nothing is written before the first user message, so that an empty session leaves no file.
	 */
	readonly append: (record: Recorded) => void;
	/** Waits until all records are in the file, or a write has failed. A message is saved if this says so. */
	readonly flush: () => Promise<JournalState>;
	/** Waits until the records so far are saved, or the state says that they aren't: a full or slow disk stops nothing. */
	readonly settle: () => Promise<void>;
	/** Flushes, and releases the session for other processes. Later records are dropped. */
	readonly close: () => Promise<JournalState>;
};

type OnState = (state: JournalState) => void;

/** Events that are synced to the disk, because they can't be requested again. Deltas wait for the next one. */
const durable: ReadonlySet<AgentEvent['type']> = new Set([
	'user-message',
	'attachment',
	'user-command',
	'user-command-end',
	'tool-result',
	'compaction',
	'compaction-undo',
	'pin',
	'presence',
	'restore',
	'rename',
	'agent',
	'session-rule',
	'run-end',
]);

/** Where a session is must be known after a power cut: it may run at one place. */
const isDurable = (event: AgentEvent) =>
	durable.has(event.type) || (event.type === 'notice' && event.handoff !== undefined);

/** Events that come one after another, many a second. */
const gathered: ReadonlySet<AgentEvent['type']> = new Set(['text-delta', 'reasoning-delta', 'tool-output']);

/** Returns the type of an event, of the agent or of a sub-agent. */
const kindOf = (event: AgentEvent) => (event.type === 'task' ? event.event.type : event.type);

type CreateOptions = {
	readonly home: Home;
	/** The working folder; it need not be a real path. */
	readonly folder: string;
	/** A new UUID, in lower case. */
	readonly session: string;
	/** Called when writing starts to fail, fails for another reason, or works again (SAFETY 19). */
	readonly onState?: OnState;
};

/** Returns a journal for a new session. Creates no file yet. Never throws. */
export async function createJournal({home, folder, session, onState}: CreateOptions): Promise<Journal> {
	const place = await sessionFolder(home, folder);
	const path = join(place.path, `${session}.jsonl`);
	let lock: Lock | undefined;
	const prepare = () => {
		makeSessionFolder(place);
		lock ??= lockSession(session, path);
	};
	const note = () => noteFolder(place);

	return start({session, path, size: undefined, begun: false, prepare, note, release: () => lock?.release(), onState});
}

/** A session that is continued. */
export type OpenedJournal = JournalContent & {
	readonly journal: Journal;
	/** The file with a cut-off last line, to report to the user; undefined if there was none. */
	readonly setAside: string | undefined;
};

/**
 * Opens a session to continue it: locks it, reads it, and moves a cut-off last line aside (SAFETY 17). Throws
 * AppError("conflict") if another process has the session open, AppError("failed") if the file is unreadable, and the
 * signal's reason while it is read.
 */
export async function openJournal(
	{id, path}: Pick<SessionFile, 'id' | 'path'>,
	onState?: OnState,
	signal?: AbortSignal,
): Promise<OpenedJournal> {
	const lock = lockSession(id, path);
	try {
		const content = await readJournal(path, signal);
		const setAside = await repairTail(path, content);
		const {wholeBytes, tornBytes, tornIsRecord} = content;
		const size = tornIsRecord ? wholeBytes + tornBytes + 1 : wholeBytes;
		const prepare = () => sweepSessionFolder(path);
		const journal = start({session: id, path, size, begun: true, prepare, release: lock.release, onState});
		return {...content, journal, setAside};
	} catch (error) {
		lock.release();
		throw error;
	}
}

function lockSession(id: string, path: string): Lock {
	const lock = tryLock(`${path}.lock`);
	if ('release' in lock) {
		return lock;
	}

	throw new AppError('conflict', `This session is open in another window (process ${lock.pid} on ${lock.host}).`, {
		hint: `Close it there, start a new session, or delete ${path}.lock if that process is gone. If a host runs it, attach: \`$ attach ${id.slice(0, 8)}\``,
	});
}

type StartOptions = {
	readonly session: string;
	readonly path: string;
	readonly size: number | undefined;
	/** True once there was a user message. */
	readonly begun: boolean;
	readonly prepare?: () => void;
	readonly note?: () => Promise<void>;
	readonly release: () => void;
	readonly onState: OnState | undefined;
};

function start({session, begun, release, onState = () => undefined, ...file}: StartOptions): Journal {
	const {path} = file;
	const writer = createLineWriter({...file, onState});
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
			hasBegun ||= record.event.type === 'user-message' || record.event.type === 'user-command';
			if (hasBegun) {
				for (const next of held.splice(0)) {
					const line = JSON.stringify(next);
					if (gathered.has(kindOf(next.event))) {
						writer.gather(line);
					} else {
						writer.write(line, isDurable(next.event));
					}
				}
			}
		},
		flush: writer.flush,
		settle: writer.settle,
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

/**
 * Repairs a session whose last line was cut off (SAFETY 17). A record that only lacks its line end gets one; anything else
 * is appended to `<path>.torn`, and then cut off. Returns the path of that file; undefined if nothing was moved. Throws
 * AppError("failed").
 */
async function repairTail(
	path: string,
	{wholeBytes, tornBytes, tornIsRecord}: JournalContent,
): Promise<string | undefined> {
	if (tornBytes === 0) {
		return undefined;
	}

	const aside = `${path}.torn`;
	try {
		const file = await open(path, constants.O_RDWR | noFollow);
		try {
			if (tornIsRecord) {
				await file.write('\n', wholeBytes + tornBytes);
				await file.datasync();
				return undefined;
			}

			const torn = await open(aside, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow, 0o600);
			try {
				const piece = Buffer.alloc(Math.min(tornBytes, 1024 * 1024));
				for (let position = wholeBytes; ; ) {
					const {bytesRead} = await file.read(piece, 0, piece.length, position);
					if (bytesRead === 0) {
						break;
					}

					await writeWhole(torn, piece.subarray(0, bytesRead));
					position += bytesRead;
				}

				await writeWhole(torn, Buffer.from('\n'));
				await torn.sync();
			} finally {
				await torn.close();
			}

			await file.truncate(wholeBytes);
			await file.datasync();
			return aside;
		} finally {
			await file.close();
		}
	} catch (error) {
		throw explainFileError(error, 'write', path);
	}
}
