import type {TailClock} from '../logs/tail-clock.ts';

/** Longest wait in milliseconds between two looks at the clock. */
const step = 30_000;

/**
 * Waits until the clock says that time, in milliseconds since the epoch. A clock may be reset, and a machine may sleep,
 * while timers stand still: so `due` is asked again and again. Throws the reason of `signal`.
 */
export async function waitUntil(
	due: () => number,
	{clock, signal}: {readonly clock: Pick<TailClock, 'now' | 'sleep'>; readonly signal: AbortSignal},
): Promise<void> {
	for (let left = due() - clock.now(); left > 0; left = due() - clock.now()) {
		await clock.sleep(Math.min(left, step), signal);
	}
}
