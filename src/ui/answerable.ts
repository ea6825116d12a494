/** How long a question is shown before a key can answer it (SAFETY 4). */
const settlingMs = 500;

/** How long no key may have been pressed before one answers a question: one that is held comes again sooner. */
const quietMs = 1000;

/** Returns the time of a monotonic clock in milliseconds; `askedAt` is such a time. */
export function steadyNow(): number {
	return performance.now();
}

/** A question, by when it was asked. */
export type Asked = {readonly askedAt: number};

/** What an answer waits for, on the clock of `askedAt`. */
type Pauses = {
	/** When a key last went to the prompt, or to a panel that it answered or that ignored it. */
	readonly typedAt: number | undefined;
	/** Since when a question is in sight; infinity while it isn't. */
	readonly inSightSince: number;
};

/** `askedAt` of a panel that follows a key of the user at once: they type in it without a pause. */
export const atOnce = Number.NEGATIVE_INFINITY;

/**
 * Returns the milliseconds until keys answer the question; 0 or less if they do now. They do once it has been in sight for a
 * while and no key was pressed for a while. Its key hints appear at the same time.
 */
export function untilAnswerable({askedAt}: Asked, {typedAt, inSightSince}: Pauses, now: number): number {
	const shownAt = Math.max(askedAt, inSightSince);
	const quietAt = askedAt === atOnce ? atOnce : (typedAt ?? atOnce) + quietMs;
	return Math.max(shownAt + settlingMs, quietAt) - now;
}
