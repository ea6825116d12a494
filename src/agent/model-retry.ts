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

/** A host that was not reached or could not answer, or that says when to come again; any other refusal stays one. */
function isRetryable(error: unknown): boolean {
	const comesAgain = error instanceof AppError && error.code === 'provider' && error.retryAfter !== undefined;
	return comesAgain || (error instanceof AppError && error.code === 'network');
}
