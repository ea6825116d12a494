import {AppError, type ErrorCode} from '../core/error.ts';

/** Timers and random numbers, which tests replace. */
export type RetryClock = {
	/** Waits `milliseconds`; rejects with the signal's reason if it aborts. */
	readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
	/** Returns a number from 0 up to, but not including, 1. */
	readonly random: () => number;
	/** Returns a time in milliseconds; that of the machine by default. */
	readonly now?: () => number;
};

type Options = {
	/** Returns true if a retry may succeed and does no harm: nothing was shown yet, or the request is idempotent. */
	readonly isRetryable: (error: unknown) => boolean;
	readonly clock: RetryClock;
	readonly signal: AbortSignal;
	/** Called before each wait, so that the screen can show it, with the number of the attempt that follows, from 2. */
	readonly onWait?: (milliseconds: number, error: unknown, attempt: number) => void;
	/** How long after the first attempt began another may follow. */
	readonly maxElapsedMs?: number;
};

const maxRetries = 2;
/** Most attempts of a request. */
export const maxAttempts = 1 + maxRetries;
const minWaitMs = 500;
/** By number of the retry. */
const maxWaitsMs: readonly number[] = [2000, 8000];
const maxRetryAfterMs = 60_000;
/** How long a server that is still starting is asked again, and how often. */
const maxStartMs = 300_000;
const startWaitMs = 2000;

/** Errors that a retry can't change, whatever the caller says (SAFETY 23). */
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
/** From 520 on: a proxy of Cloudflare that can't reach the server. */
const retryableStatuses: readonly number[] = [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529];

/** Returns true if a response with this status is worth a retry; never for 400 to 404, 409, 422 and 426 (SAFETY 23). */
export function isRetryableStatus(status: number): boolean {
	return retryableStatuses.includes(status);
}

/**
 * Calls `run`, and retries it up to two times: after a random wait of 0.5 to 2 s, then of 0.5 to 8 s, or after the wait that
 * the server asked for (`retryAfter` of an `AppError`). If that is over a minute, throws the error with the wait as its
 * hint. A server that is still starting is asked every 2 s, for up to five minutes. A failure that took longer than
 * `maxElapsedMs` is thrown. `run` gets the number of the attempt, from 0.
 */
export async function withRetry<T>(
	run: (attempt: number) => Promise<T>,
	{isRetryable, clock, signal, onWait, maxElapsedMs = Number.POSITIVE_INFINITY}: Options,
): Promise<T> {
	const now = clock.now ?? performance.now.bind(performance);
	const beganAt = now();
	for (let attempt = 0; ; attempt += 1) {
		try {
			return await run(attempt);
		} catch (error) {
			const asked = error instanceof AppError ? error.retryAfter : undefined;
			const isFinal = error instanceof AppError && (error.permanent || finalCodes.has(error.code));
			if (signal.aborted || isFinal || !isRetryable(error)) {
				throw error;
			}

			if (asked !== undefined && asked > maxRetryAfterMs) {
				throw withHint(error, asked);
			}

			const isStarting = error instanceof AppError && error.starting;
			const isSpent = isStarting ? now() - beganAt > maxStartMs : attempt >= maxRetries;
			if (isSpent || now() - beganAt > maxElapsedMs) {
				throw error;
			}

			const maxMs = maxWaitsMs[attempt] ?? minWaitMs;
			const wait = asked ?? (isStarting ? startWaitMs : minWaitMs + clock.random() * (maxMs - minWaitMs));
			onWait?.(wait, error, attempt + 2);
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
 * Returns the milliseconds of `Retry-After`, which has seconds or a date (RFC 9110 section 10.2.3); undefined if it's
 * missing or invalid. A date is compared with the server's own, because clocks differ; `now`, in milliseconds since the
 * epoch, stands in for a missing one.
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const text = headers['retry-after']?.trim() ?? '';
	// No server means a wait of more than thirty years.
	if (/^\d{1,9}(?:\.\d+)?$/.test(text)) {
		return Math.round(Number(text) * 1000);
	}

	const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	const sentAt = Date.parse(headers['date'] ?? '');
	return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(sentAt) ? now : sentAt));
}

/** The clock of the machine. */
export const systemClock: RetryClock = {
	sleep: async (milliseconds, signal) => {
		const {setTimeout: sleep} = await import('node:timers/promises');
		await sleep(milliseconds, undefined, {signal});
	},
	random: Math.random,
};
