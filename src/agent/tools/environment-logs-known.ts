import type {LogSource} from '../../contract/log-cursor.ts';
import {abortable} from '../../core/abortable.ts';
import {levelOf} from '../../logs/levels.ts';
import {createLogBuffer, type LogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry, Mark} from '../../logs/log-entry.ts';
import {createLogReader, type LogReader} from '../../logs/log-reader.ts';
import type {LogDelta} from '../../logs/read-answer.ts';
import {turn} from '../../logs/slices.ts';
import {type TailEvent, tailLog} from '../../logs/tail.ts';
import type {TailClock} from '../../logs/tail-clock.ts';

type OpenedLog = {
	/** Origin of the connected server. */
	readonly server: string;
	readonly source: LogSource;
	/** The session that asks: what one session was shown, another one was not. */
	readonly session: string;
};

/** Finds the log of an environment on the connected server. Throws `AppError` if there is none. */
export type SharedLog = (environment: string) => Promise<OpenedLog>;

/** A log as far as the agent has read it. Its lines keep their numbers from one tool call to the next. */
export type KnownLog = {
	readonly server: string;
	/** Reads what is new. Throws what the source throws, and the reason of `signal`. */
	readonly refresh: (signal: AbortSignal) => Promise<void>;
	/** Follows the log as `tailLog` does. The lines are in `entries` before the tail reports them. */
	readonly follow: (options: {
		readonly signal: AbortSignal;
		readonly clock: TailClock;
		/** Called whenever the server has answered, also if there is nothing new. */
		readonly onAnswer?: () => void;
	}) => AsyncIterable<TailEvent>;
	/** Returns everything that is kept, with marks between the lines. */
	readonly entries: () => readonly LogEntry[];
	/** Returns the number of the newest line, 0 before the first. */
	readonly last: () => number;
	/** Returns the incomplete last line, '' for none. */
	readonly held: () => string;
	/** Returns the number of the last line that the model was shown, 0 for none. */
	readonly shown: () => number;
	readonly markShown: (seq: number) => void;
};

export type KnownLogs = (environment: string) => Promise<KnownLog>;

type Memory = Omit<KnownLog, 'refresh' | 'follow'> & {
	readonly refresh: (source: LogSource, signal: AbortSignal) => Promise<Refreshed>;
	/** Creates a reader that brings what is new since then, whoever requests it. */
	readonly createReader: () => LogReader;
};

/** What a refresh brought, besides its lines. */
type Refreshed = Pick<LogDelta, 'mark' | 'hasMore' | 'hasChanged'>;

/** Number of logs that are kept; the least recently used one is dropped first. */
const maxLogs = 8;
const limits = {entries: 20_000, bytes: 8 * 1024 * 1024};

/** Most answers that one refresh reads of a log that grows faster than it is read. */
const maxAnswers = 200;

/** Keeps what was read of each log by session, server and environment, so that logs of two servers never mix. */
export function createKnownLogs(openLog: SharedLog, now: () => number): KnownLogs {
	const memories = new Map<string, Memory>();
	return async environment => {
		const {server, source, session} = await openLog(environment);
		const key = `${session} ${server} ${environment.toLowerCase()}`;
		const memory = memories.get(key) ?? createMemory(server, now);
		memories.delete(key);
		memories.set(key, memory);
		for (const oldest of [...memories.keys()].slice(0, -maxLogs)) {
			memories.delete(oldest);
		}

		return {
			...memory,
			refresh: async signal => void (await memory.refresh(source, signal)),
			follow: ({onAnswer, ...options}) => {
				const heard: LogSource = async (...request) => {
					const answer = await source(...request);
					onAnswer?.();
					return answer;
				};
				return tailLog({source: heard, reader: memory.createReader(), ...options});
			},
		};
	};
}

function createMemory(server: string, now: () => number): Memory {
	const buffer = createLogBuffer(limits);
	const reader = createLogReader();
	let last = 0;
	let shown = 0;
	/** One refresh at a time: two would add the same lines twice. */
	let pending: Promise<unknown> = Promise.resolve();

	const add = ({before, mark, lines}: LogDelta) => {
		const at = now();
		const addLine = (text: string) => buffer.push({kind: 'line', seq: ++last, at, text, level: levelOf(text)});
		before.forEach(addLine);
		if (mark) {
			buffer.push({kind: 'mark', seq: last, at, mark});
		}

		lines.forEach(addLine);
	};

	const read = async (source: LogSource, signal: AbortSignal): Promise<Refreshed> => {
		let mark: Mark | undefined;
		let hasChanged = false;
		for (let answers = 0; answers < maxAnswers; answers++) {
			signal.throwIfAborted();
			const delta = await reader.next(source, signal);
			add(delta);
			mark = delta.mark ?? mark;
			hasChanged ||= delta.hasChanged;
			if (!delta.hasMore) {
				return {mark, hasChanged, hasMore: false};
			}

			await turn();
		}

		return {mark, hasChanged, hasMore: true};
	};

	const refresh = async (source: LogSource, signal: AbortSignal) => {
		const refreshed = pending.then(() => read(source, signal));
		pending = refreshed.catch(() => undefined);
		return abortable(refreshed, signal);
	};

	return {
		server,
		refresh,
		createReader: () => ({...reader, next: readerOfNew(buffer, refresh)}),
		entries: () => buffer.entriesFrom(0),
		last: () => last,
		held: reader.held,
		shown: () => shown,
		markShown(seq) {
			shown = Math.max(shown, seq);
		},
	};
}

/** Returns the `next` of a reader that brings what the buffer gets from now on. */
function readerOfNew(buffer: LogBuffer, refresh: Memory['refresh']): LogReader['next'] {
	let place = buffer.end();
	return async (source, signal) => {
		const refreshed = await refresh(source, signal);
		const entries = buffer.entriesFrom(place);
		place = buffer.end();
		return {before: [], lines: entries.flatMap(textsOf), ...refreshed};
	};
}

function textsOf(entry: LogEntry): readonly string[] {
	return entry.kind === 'line' ? [entry.text] : [];
}
