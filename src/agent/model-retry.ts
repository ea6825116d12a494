import {AppError} from '../core/error.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';

/** Repeats an attempt after failures that may pass. Calls `onWait` before each wait, with its length and reason. */
export type Retry = <Value>(
	attempt: () => Promise<Value>,
	hooks: {readonly signal: AbortSignal; readonly onWait: (waitMs: number, error: unknown) => void},
) => Promise<Value>;

/** Creates the retry of SAFETY 23. */
export function createModelRetry(clock: RetryClock = systemClock): Retry {
	return (attempt, hooks) => withRetry(() => attempt(), {...hooks, clock, isRetryable});
}

/** True if the host couldn't be reached or is unavailable, or if its refusal is temporary. */
function isRetryable(error: unknown): boolean {
	return (
		error instanceof AppError &&
		(error.code === 'network' || (error.code === 'provider' && (error.temporary || error.retryAfter !== undefined)))
	);
}
