import type {LogSource} from '../contract/log-cursor.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {Mark} from './log-entry.ts';
import {createLogReader} from './log-reader.ts';

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
