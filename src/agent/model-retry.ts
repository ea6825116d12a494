import {AppError} from '../core/error.ts';
import {type RetryClock, systemClock, withRetry} from '../net/retry.ts';

/** Tries again what may be tried again. `onWait` is told before each wait how many milliseconds it takes, and why. */
export type Retry = <Value>(
	attempt: () => Promise<Value>,
	hooks: {readonly signal: AbortSignal; readonly onWait: (milliseconds: number, error: unknown) => void},
) => Promise<Value>;

/** Repeats the opening of an answer as SAFETY 23 says. */
export function createModelRetry(clock: RetryClock = systemClock): Retry {
	return (attempt, hooks) => withRetry(() => attempt(), {...hooks, clock, isRetryable});
}

/** A host that was not reached or could not answer, or that refuses for the moment only; any other refusal stays one. */
function isRetryable(error: unknown): boolean {
	return (
		error instanceof AppError &&
		(error.code === 'network' || (error.code === 'provider' && (error.temporary || error.retryAfter !== undefined)))
	);
}
