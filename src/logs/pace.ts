/** Milliseconds between two polls: while lines arrive, and at most. */
const busy = 250;
const idle = 5000;
const shortest = 50;
const growth = 1.5;

/** Milliseconds of the first wait after a failure, of the longest one, and of the shortest that a server can ask for. */
const firstBackoff = 1000;
const longestBackoff = 30_000;
const shortestBackoff = 500;

/** A timer of more milliseconds rings at once. */
const longestTimer = 2 ** 31 - 1;

/** How the answer before changes the wait before the next request. */
export type Activity = 'lines' | 'nothing' | 'gap';

/** The next interval, in milliseconds, from the one before. After a gap it is half, however short it was. */
export function nextInterval(interval: number, activity: Activity): number {
	switch (activity) {
		case 'lines':
			return Math.min(interval, busy);
		case 'nothing':
			return Math.min(idle, interval * growth);
		case 'gap':
			return Math.max(shortest, Math.min(interval, busy) / 2);
		default:
			return activity satisfies never;
	}
}

export const firstInterval = busy;

/** Up to a tenth shorter, so that many tails do not ask at the same moment. `random` is from 0 up to 1. */
export function withJitter(interval: number, random: number): number {
	return interval * (1 - random / 10);
}

/**
 * The wait before a try: what the server asked for, but never so short that it is asked all the time; else twice the one
 * before, up to 30 s, half of it by chance.
 */
export function backoff(attempt: number, retryAfter: number | undefined, random: number): number {
	if (retryAfter !== undefined) {
		return Math.min(longestTimer, Math.max(shortestBackoff, retryAfter));
	}

	return Math.min(longestBackoff, firstBackoff * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random / 2);
}
