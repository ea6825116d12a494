import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
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
