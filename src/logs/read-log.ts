import type {LogSource} from '../contract/log-cursor.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {Mark} from './log-entry.ts';
import {createReading} from './reading.ts';
import {runInSlices} from './slices.ts';

type Options = {
	readonly source: LogSource;
	readonly signal: AbortSignal;
	/** Begins with the oldest line that the server still has, where it can tell. */
	readonly sinceStart?: boolean;
	readonly clock?: RetryClock;
	/** Told before each wait for another try, in milliseconds. */
	readonly onWait?: (milliseconds: number, error: unknown) => void;
};

/** A stretch of a log, behind a mark where lines may be missing before it. */
export type Stretch = {readonly mark?: Mark | undefined; readonly lines: readonly string[]};

/**
 * Reads what there is of a log now, and ends: its end, or with `sinceStart` all that the server still has. What stands
 * behind the last newline counts as a line. Throws what `source` throws, after two more tries where that may help.
 */
export async function* readLog(options: Options): AsyncGenerator<Stretch, void> {
	const {source, signal, sinceStart = false, clock = systemClock, onWait} = options;
	const reading = createReading({sinceStart});
	const retry = {clock, signal, isRetryable: () => true, ...(onWait && {onWait})};
	for (let hasMore = true; hasMore; ) {
		const answer = await withRetry(() => source(reading.cursor(), signal), retry);
		const taken = await runInSlices(reading.take(answer), signal);
		hasMore = taken.hasMore;
		if (taken.before.length > 0) {
			yield {lines: taken.before};
		}

		yield {mark: taken.mark, lines: taken.lines};
	}

	if (reading.held()) {
		yield {lines: [reading.held()]};
	}
}
