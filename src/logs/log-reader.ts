import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {Mark} from './log-entry.ts';
import {type LogDelta, type ReadingState, readAnswer, startReading, withoutOffsets} from './read-answer.ts';
import {runInSlices} from './slices.ts';

/** Reads the log of one environment, answer by answer. */
export type LogReader = {
	/** Requests what is new. Throws what `source` throws, and the reason of `signal`. One call at a time. */
	readonly next: (source: LogSource, signal: AbortSignal) => Promise<LogDelta>;
	/** Returns the incomplete last line, '' for none. */
	readonly held: () => string;
	/** Returns true if the server gives offsets and nothing was missed since the first line. */
	readonly isComplete: () => boolean;
};

/** Creates a reader that starts with the end of the log, or with `sinceStart` at the oldest line that the server has. */
export function createLogReader({sinceStart = false}: {readonly sinceStart?: boolean} = {}): LogReader {
	let state = startReading(sinceStart);
	return {
		async next(source, signal) {
			for (;;) {
				try {
					const answer = await source(state.cursor, signal);
					const step = await runInSlices(readAnswer(state, answer), signal);
					({state} = step);
					return {...step.delta, ended: answer.ended};
				} catch (error) {
					if (signal.aborted || !isRejectedOffset(error, state)) {
						throw error;
					}

					state = withoutOffsets(state);
				}
			}
		},
		held: () => state.held,
		isComplete: () => state.isExact && state.cursor.after !== undefined,
	};
}

/** Returns true if a server rejects the offset that it gave, as a server of another version behind a proxy does. */
function isRejectedOffset(error: unknown, {cursor}: ReadingState): boolean {
	return error instanceof AppError && error.code === 'failed' && cursor.after !== undefined;
}

type Options = {
	readonly source: LogSource;
	readonly signal: AbortSignal;
	/** Starts with the oldest line that the server still has. */
	readonly sinceStart?: boolean;
	readonly clock?: RetryClock;
	/** Called before each wait for another attempt, in milliseconds. */
	readonly onWait?: (milliseconds: number, error: unknown) => void;
};

/** Lines of a log, after a mark if lines may be missing before them. */
type Stretch = {readonly mark?: Mark | undefined; readonly lines: readonly string[]};

/**
 * Reads a log as it is now: its end, or with `sinceStart` all that the server still has. An incomplete last line counts
 * as a line. Throws what `source` throws, after two more attempts if the failure may pass.
 */
export async function* readLog(options: Options): AsyncGenerator<Stretch, void> {
	const {source, signal, sinceStart = false, clock = systemClock, onWait} = options;
	const reader = createLogReader({sinceStart});
	const retry = {clock, signal, isRetryable: () => true, ...(onWait && {onWait})};
	for (let hasMore = true; hasMore; ) {
		const delta = await withRetry(() => reader.next(source, signal), retry);
		({hasMore} = delta);
		if (delta.before.length > 0) {
			yield {lines: delta.before};
		}

		yield {mark: delta.mark, lines: delta.lines};
	}

	if (reader.held()) {
		yield {lines: [reader.held()]};
	}
}
