/** Time between two polls: while lines arrive, at most, and at least. */
const busyMs = 250;
const idleMs = 5000;
const shortestMs = 50;
const growth = 1.5;

/** The first wait after a failure, the longest one, and the shortest one that a server can ask for. */
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
const shortestBackoffMs = 500;

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** What the last answer brought. */
type Activity = 'lines' | 'nothing' | 'gap';

/** Returns the next interval in milliseconds. After a gap it is half of the one before. */
export function nextInterval(intervalMs: number, activity: Activity): number {
	switch (activity) {
		case 'lines':
			return Math.min(intervalMs, busyMs);
		case 'nothing':
			return Math.min(idleMs, intervalMs * growth);
		case 'gap':
			return Math.max(shortestMs, Math.min(intervalMs, busyMs) / 2);
		default:
			return activity satisfies never;
	}
}

export const firstInterval = busyMs;

/** Returns an interval up to a tenth shorter, so that many tails don't poll at once. `random` is from 0 up to 1. */
export function withJitter(intervalMs: number, random: number): number {
	return intervalMs * (1 - random / 10);
}

/**
 * Returns the wait before an attempt in milliseconds: what the server asked for, but at least 500 ms; otherwise twice the
 * one before, up to 30 s, half of it random.
 */
export function backoff(attempt: number, retryAfterMs: number | undefined, random: number): number {
	if (retryAfterMs !== undefined) {
		return Math.min(longestTimerMs, Math.max(shortestBackoffMs, retryAfterMs));
	}

	return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2);
}
