import {AppError, type ErrorCode} from '../core/error.ts';

/** Time and chance, so that a test can set both. */
export type RetryClock = {
	/** Waits `milliseconds`; rejects with the signal's reason when it is aborted. */
	readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
	/** From 0 up to, but not with, 1. */
	readonly random: () => number;
};

type Options = {
	/** Whether this failure may go away by itself, and a second try does no harm: nothing was shown, or it is idempotent. */
	readonly isRetryable: (error: unknown) => boolean;
	readonly clock: RetryClock;
	readonly signal: AbortSignal;
	/** Told before each wait, in milliseconds, so that the screen can say so. */
	readonly onWait?: (milliseconds: number, error: unknown) => void;
};

const mostRetries = 2;
const shortestWait = 500;
const longestWaits: readonly number[] = [2000, 8000];
const longestRetryAfter = 60_000;

/** What a second try cannot change, whatever the caller thinks (SAFETY 23). */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
	'usage',
	'auth',
	'not-found',
	'budget',
	'conflict',
	'upgrade',
	'interrupted',
	'incomplete',
]);
const retryableStatuses: readonly number[] = [408, 425, 429, 500, 502, 503, 504, 529];

/** Whether an answer of that status may be better a moment later; never 400, 401, 402, 403, 404, 409, 422, 426 (SAFETY 23). */
export function isRetryableStatus(status: number): boolean {
	return retryableStatuses.includes(status);
}

/**
 * Runs `run`, and again up to two times after a failure that may go away: after a random wait of 0.5 s to 2 s, then to
 * 8 s, or exactly as long as the far end asked (`retryAfter` of an `AppError`) up to a minute. Whoever asks for more is
 * not waited for: the error is thrown, with the wait as its hint. `run` gets the number of the attempt, from 0.
 */
export async function withRetry<T>(
	run: (attempt: number) => Promise<T>,
	{isRetryable, clock, signal, onWait}: Options,
): Promise<T> {
	for (let attempt = 0; ; attempt += 1) {
		try {
			return await run(attempt);
		} catch (error) {
			const asked = error instanceof AppError ? error.retryAfter : undefined;
			const isFinal = error instanceof AppError && (error.permanent || finalCodes.has(error.code));
			if (signal.aborted || isFinal || !isRetryable(error)) {
				throw error;
			}

			if (asked !== undefined && asked > longestRetryAfter) {
				throw withHint(error, asked);
			}

			if (attempt >= mostRetries) {
				throw error;
			}

			const longest = longestWaits[attempt] ?? shortestWait;
			const wait = asked ?? shortestWait + clock.random() * (longest - shortestWait);
			onWait?.(wait, error);
			await clock.sleep(wait, signal);
		}
	}
}

function withHint(error: unknown, retryAfter: number): unknown {
	if (!(error instanceof AppError)) {
		return error;
	}

	const minutes = Math.ceil(retryAfter / 60_000);
	const wait = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
	return new AppError(error.code, error.message, {hint: `Try again in ${wait}.`, cause: error, retryAfter});
}

/**
 * Reads `Retry-After`, seconds or a date (RFC 9110 section 10.2.3), as milliseconds from `now` (ms since the epoch);
 * undefined where it is missing or neither.
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const text = headers['retry-after']?.trim() ?? '';
	if (/^\d+(?:\.\d+)?$/.test(text)) {
		return Math.round(Number(text) * 1000);
	}

	const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The clock of the machine. */
export const systemClock: RetryClock = {
	sleep: async (milliseconds, signal) => {
		const {setTimeout: sleep} = await import('node:timers/promises');
		await sleep(milliseconds, undefined, {signal});
	},
	random: Math.random,
};
