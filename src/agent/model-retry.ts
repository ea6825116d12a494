import {AppError} from '../core/error.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';

type OnWait = (waitMs: number, error: unknown, attempt: number) => void;

/**
 * Repeats an attempt after failures that may pass. Calls `onWait` before each wait, with its length and reason, and the
 * number of the attempt that follows.
 */
export type Retry = <Value>(
	attempt: () => Promise<Value>,
	hooks: {readonly signal: AbortSignal; readonly onWait: OnWait},
) => Promise<Value>;

/**
 * A host that was silent for longer has probably worked, and would be asked to work, and to bill, once more. So the
 * longest silence of one request is also that of all its attempts.
 */
const maxElapsedMs = 300_000;

/** Creates the retry of SAFETY 23. */
export function createModelRetry(clock: RetryClock = systemClock): Retry {
	return (attempt, hooks) => withRetry(() => attempt(), {...hooks, clock, isRetryable, maxElapsedMs});
}

/** True if the host couldn't be reached or is unavailable, or if its refusal is temporary. */
function isRetryable(error: unknown): boolean {
	return (
		error instanceof AppError &&
		(error.code === 'network' ||
			error.starting ||
			(error.code === 'provider' && (error.temporary || error.retryAfter !== undefined)))
	);
}
