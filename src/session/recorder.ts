import type {CallPiece, PiecesDropped} from '../core/session/call-draft.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import type {Transcript} from '../core/session/transcript.ts';
import type {Journal} from '../storage/journal.ts';
import type {AppStore} from '../store/store.ts';
import {createStreamMask, type Masking, maskEvent} from './mask-events.ts';

/** Where the records of one session are kept. Never throws: a write error is a state of the store. */
export type RecordLog = {
	readonly append: (record: Recorded) => void;
	/** Waits until everything that was appended is written, or cannot be. */
	readonly flush: () => Promise<void>;
	/** Waits until the records so far are saved, or it was said that they aren't. */
	readonly settle: () => Promise<void>;
	/** Flushes, then closes the file. */
	readonly close: () => Promise<void>;
};

/** Returns a log over a journal that is still being opened: it passes records on in order. */
export function logOf(journal: Promise<Journal>): RecordLog {
	return {
		append: (record: Recorded) => void journal.then(opened => opened.append(record)),
		async flush() {
			await (await journal).flush();
		},
		async settle() {
			await (await journal).settle();
		},
		async close() {
			await (await journal).close();
		},
	};
}

/** Its masking removes credentials from what the user typed and the model wrote, for everything but the run that it belongs to. */
export type RecorderOptions = Masking & {
	readonly store: AppStore;
	/** Returns the time as ISO 8601 in UTC. */
	readonly now: () => string;
	/** Opens the log of a new session; nothing is written before its first record. */
	readonly openLog: (session: string) => RecordLog;
	/** Reads the stream too, beside the screen and the log. */
	readonly onRecord?: (record: Recorded) => void;
};

export type Recorder = {
	/** Returns the id of the current session. */
	readonly session: () => string;
	/** Switches to another session. Without a `log` its first record opens a new one. */
	readonly begin: (transcript: Transcript, log?: RecordLog) => void;
	/** Records an event that came from this server. */
	readonly emit: (event: AgentEvent, server: string) => void;
	/** Shows a piece of a call, after the events so far. It is not recorded. */
	readonly show: (piece: CallPiece | PiecesDropped) => void;
	/** Applies what waits to the store, now. */
	readonly flush: () => void;
	/** Waits until the log is written. */
	readonly flushLog: () => Promise<void>;
	/** Waits until the events so far are saved, or it was said that they aren't. */
	readonly settleLog: () => Promise<void>;
	/** Closes the log. */
	readonly close: () => Promise<void>;
};

/** Creates a recorder: it numbers the events of one session at a time and hands them to the log and, in batches, to the store. */
export function createRecorder({store, now, hide, ownSecrets, openLog, onRecord}: RecorderOptions): Recorder {
	const pump = createPump<Recorded | CallPiece | PiecesDropped>(items => store.getState().applyRecords(items));
	const isAwaited = createAwaited();
	let session = '';
	let seq = 0;
	let log: RecordLog | undefined;
	let stream = createStreamMask({hide, ownSecrets});
	let lastServer = '';

	const record = (event: AgentEvent, server: string) => {
		const recorded: Recorded = {v: 1, seq, at: now(), session, server, event: maskEvent(event, hide)};
		seq++;
		log ??= openLog(session);
		log.append(recorded);
		onRecord?.(recorded);
		pump.push(recorded, isAwaited(event));
	};

	return {
		session: () => session,
		begin(transcript, opened) {
			session = transcript.session;
			seq = transcript.seq + 1;
			log = opened;
			stream = createStreamMask({hide, ownSecrets});
			store.getState().openTranscript(transcript);
		},
		emit(event, server) {
			lastServer = server;
			for (const masked of stream.mask(event)) {
				record(masked, server);
			}
		},
		show(piece) {
			// A call is written behind the text, which has ended by then.
			for (const held of stream.endText()) {
				record(held, lastServer);
			}

			pump.push(piece.type === 'call-piece' ? {...piece, hide} : piece);
		},
		flush: pump.flush,
		async flushLog() {
			await log?.flush();
		},
		async settleLog() {
			await log?.settle();
		},
		async close() {
			await log?.close();
			log = undefined;
		},
	};
}

/**
 * Returns a function that is true for what the user waits for: the first piece of a message of the agent, and the end of a run.
 * That is painted at once; it comes once a message.
 */
function createAwaited(): (event: AgentEvent) => boolean {
	let begun = '';
	return event => {
		const isFirst = event.type === 'text-delta' && event.messageId !== begun;
		begun = event.type === 'text-delta' ? event.messageId : begun;
		return isFirst || event.type === 'run-end';
	};
}

/** How long events are collected before they are applied: 30 paints a second at most. */
const intervalMs = 33;

type Pump<T> = {
	/** Adds one item. It is applied with its neighbors: at once if none came for a while, or if it is awaited. */
	readonly push: (item: T, isAwaited?: boolean) => void;
	/** Applies the items that wait, now. */
	readonly flush: () => void;
};

type Clock = {
	readonly now: () => number;
	readonly setTimeout: (run: () => void, delayMs: number) => unknown;
};

const realClock: Clock = {
	now: () => performance.now(),
	setTimeout: (run, delayMs) => setTimeout(run, delayMs),
};

/** Creates a pump, which groups items into batches of 33 ms, so that a burst of tokens costs one render. It keeps their order. */
export function createPump<T>(apply: (items: readonly T[]) => void, clock = realClock): Pump<T> {
	let waiting: T[] = [];
	/** When what waits is applied; infinity for never. A timer that comes before an earlier one, or after it, does nothing. */
	let dueAt = Number.POSITIVE_INFINITY;
	let last = Number.NEGATIVE_INFINITY;

	const flush = () => {
		dueAt = Number.POSITIVE_INFINITY;
		if (waiting.length > 0) {
			const items = waiting;
			waiting = [];
			last = clock.now();
			apply(items);
		}
	};

	const flushAt = (at: number) => {
		if (at < dueAt) {
			dueAt = at;
			clock.setTimeout(() => dueAt === at && flush(), at - clock.now());
		}
	};

	return {
		push(item, isAwaited = false) {
			waiting.push(item);
			const now = clock.now();
			flushAt(isAwaited ? now : Math.max(now, last + intervalMs));
		},
		flush,
	};
}
