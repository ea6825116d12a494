import {type RetryClock, systemClock} from '../net/retry.ts';

/** Time and randomness, so that a test can set both; `now` is in milliseconds since the epoch. */
export type TailClock = RetryClock & {readonly now: () => number};

/** The system clock. */
export const systemTailClock: TailClock = {...systemClock, now: Date.now};

/** Longest wait between two looks at the clock. */
const stepMs = 30_000;

/**
 * Waits until the clock says that time, in milliseconds since the epoch. A clock may be reset, and a machine may sleep,
 * while timers stand still: so `due` is asked again and again. Throws the reason of `signal`.
 */
export async function waitUntil(
	due: () => number,
	{clock, signal}: {readonly clock: TailClock; readonly signal: AbortSignal},
): Promise<void> {
	for (let left = due() - clock.now(); left > 0; left = due() - clock.now()) {
		await clock.sleep(Math.min(left, stepMs), signal);
	}
}
