import type {LogSource} from '../../contract/log-cursor.ts';
import {abortable} from '../../core/abortable.ts';
import {levelOf} from '../../logs/levels.ts';
import {createLogBuffer} from '../../logs/log-buffer.ts';
import type {LogEntry} from '../../logs/log-entry.ts';
import {createReading, isRefusedOffset, type Taken} from '../../logs/reading.ts';
import {runInSlices, turn} from '../../logs/slices.ts';

type OpenedLog = {
	/** Origin of the server that is connected now. */
	readonly server: string;
	readonly source: LogSource;
	/** The conversation that asks: what one was told of, another one was not. */
	readonly session: string;
};

/** Finds the log of an environment on the connected server. Throws `AppError` where there is none. */
export type OpenLog = (environment: string) => Promise<OpenedLog>;

/** A log as far as the agent has read it. Its lines keep their numbers from one call of a tool to the next. */
export type KnownLog = {
	readonly server: string;
	/** Reads what is new. Throws what the source throws, and the reason of `signal`. */
	readonly refresh: (signal: AbortSignal) => Promise<void>;
	/** Everything that is kept, marks between the lines. */
	readonly entries: () => readonly LogEntry[];
	/** Number of the newest line, 0 before the first. */
	readonly last: () => number;
	/** What stands behind the last line, without a line end yet. */
	readonly held: () => string;
	/** Number of the last line that the model was told of, 0 for none. */
	readonly told: () => number;
	readonly tell: (seq: number) => void;
};

export type KnownLogs = (environment: string) => Promise<KnownLog>;

type Memory = Omit<KnownLog, 'refresh'> & {
	readonly refresh: (source: LogSource, signal: AbortSignal) => Promise<void>;
};

/** So many logs are kept, each with so much; the one that was asked for longest ago goes first. */
const mostLogs = 8;
const limits = {entries: 20_000, bytes: 8 * 1024 * 1024};

/** Most answers that one look takes in, for a log that is written faster than it is read. */
const mostAnswers = 200;

/** Keeps what was read of each log, by session, server and environment, so that logs of two servers never mix. */
export function createKnownLogs(openLog: OpenLog, now: () => number): KnownLogs {
	const memories = new Map<string, Memory>();
	return async environment => {
		const {server, source, session} = await openLog(environment);
		const key = `${session} ${server} ${environment.toLowerCase()}`;
		const memory = memories.get(key) ?? createMemory(server, now);
		memories.delete(key);
		memories.set(key, memory);
		for (const oldest of [...memories.keys()].slice(0, -mostLogs)) {
			memories.delete(oldest);
		}

		return {...memory, refresh: signal => memory.refresh(source, signal)};
	};
}

function createMemory(server: string, now: () => number): Memory {
	const buffer = createLogBuffer(limits);
	const reading = createReading();
	let last = 0;
	let told = 0;
	/** One look at a time: two would take the same lines twice. */
	let before: Promise<unknown> = Promise.resolve();

	const keep = ({before: old, mark, lines}: Taken) => {
		const at = now();
		const add = (text: string) => buffer.push({kind: 'line', seq: ++last, at, text, level: levelOf(text)});
		old.forEach(add);
		if (mark) {
			buffer.push({kind: 'mark', seq: last, at, mark});
		}

		lines.forEach(add);
	};

	const read = async (source: LogSource, signal: AbortSignal) => {
		for (let answers = 0; answers < mostAnswers; answers++) {
			signal.throwIfAborted();
			try {
				const taken = await runInSlices(reading.take(await source(reading.cursor(), signal)), signal);
				keep(taken);
				if (!taken.hasMore) {
					return;
				}

				await turn();
			} catch (error) {
				if (signal.aborted || !isRefusedOffset(error, reading)) {
					throw error;
				}

				reading.forgetOffset();
			}
		}
	};

	return {
		server,
		async refresh(source, signal) {
			const mine = before.then(() => read(source, signal));
			before = mine.catch(() => undefined);
			await abortable(mine, signal);
		},
		entries: () =>
			Array.from({length: buffer.end() - buffer.start()}, (_, index) => buffer.at(buffer.start() + index)).filter(
				isEntry,
			),
		last: () => last,
		held: reading.held,
		told: () => told,
		tell(seq) {
			told = Math.max(told, seq);
		},
	};
}

function isEntry(entry: LogEntry | undefined): entry is LogEntry {
	return entry !== undefined;
}
