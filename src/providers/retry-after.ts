import type {Json} from '../core/json.ts';
import {parseRetryAfter} from '../net/retry.ts';
import {countAt, listAt, textAt} from './json-path.ts';

type Headers = Readonly<Record<string, string>>;

const unitsMs: ReadonlyMap<string, number> = new Map([
	['ms', 1],
	['s', 1000],
	['m', 60_000],
	['h', 3_600_000],
]);

/**
 * Returns how long the provider asks to wait; undefined if it doesn't. Reads OpenAI's own header, the standard one, a
 * detail of Google's error, OpenRouter's metadata, a sentence such as "try again in 2.4s", or when a limit that is used up
 * is reset.
 */
export function retryAfterMs(headers: Headers, body: Json | undefined, message: string): number | undefined {
	const own = Number.parseFloat(headers['retry-after-ms'] ?? '');
	if (own >= 0) {
		return Math.round(own);
	}

	const error = Array.isArray(body) ? body[0] : body;
	const delays = listAt(error, 'error', 'details').map(detail => parseDurationMs(textAt(detail, 'retryDelay')));
	const seconds = countAt(error, 'error', 'metadata', 'retry_after_seconds');
	return (
		parseRetryAfter(headers, Date.now()) ??
		delays.find(delay => delay !== undefined) ??
		(seconds === undefined ? undefined : Math.round(seconds * 1000)) ??
		parseSentenceMs(message) ??
		resetMs(headers, Date.now())
	);
}

/**
 * Returns how long it takes until the last of the limits that are used up is reset, as in `anthropic-ratelimit-<limit>-reset`
 * and `x-ratelimit-reset-<limit>`; undefined if none is used up.
 */
function resetMs(headers: Headers, now: number): number | undefined {
	const sentAt = Date.parse(headers['date'] ?? '');
	const waits = Object.entries(headers).flatMap(([name, value]) => {
		const isReset = /^(?:[a-z]+-)?ratelimit-(?:[a-z-]+-)?reset(?:-|$)/.test(name);
		const isUsedUp = isReset && Number.parseFloat(headers[name.replace('reset', 'remaining')] ?? '') <= 0;
		const wait = isUsedUp ? parseResetMs(value, Number.isNaN(sentAt) ? now : sentAt) : undefined;
		return wait === undefined ? [] : [wait];
	});
	return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** Numbers above are times since 1970, in milliseconds and in seconds; smaller ones are seconds from now on. */
const [minEpochMs, minEpochSeconds] = [1e11, 1e9];

/** Reads the time of a reset: a date, a time since 1970, seconds, or a duration such as "6m0s". */
function parseResetMs(text: string, now: number): number | undefined {
	const value = text.trim();
	if (/^\d+(?:\.\d+)?$/.test(value)) {
		const number = Number(value);
		const at = number > minEpochMs ? number : number > minEpochSeconds ? number * 1000 : now + number * 1000;
		return Math.max(0, Math.round(at - now));
	}

	if (/^\d{4}-\d\d-\d\dT/.test(value)) {
		const at = Date.parse(value);
		return Number.isNaN(at) ? undefined : Math.max(0, at - now);
	}

	return parseDurationMs(value);
}

/** Reads the wait from a sentence: "try again in 1m26.4s", "retry after 20 seconds". */
function parseSentenceMs(message: string): number | undefined {
	const amount = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?)\b`;
	const pieces = String.raw`(?:\d+(?:\.\d+)?(?:h|m)(?=\d))*${amount}`;
	const found = new RegExp(String.raw`(?:try again|retry|wait)(?: again)?\s+(?:in|after|for)?\s*(${pieces})`, 'i').exec(
		message,
	);
	return parseDurationMs(found?.[1] ?? '');
}

/** Reads "17.5s", "1m26.4s", "20 ms", "3 minutes". */
function parseDurationMs(text: string): number | undefined {
	const pieces = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|mil|s|m|h)/gi)];
	if (pieces.length === 0) {
		return undefined;
	}

	const unitOf = (unit = '') => unitsMs.get(unit.toLowerCase() === 'mil' ? 'ms' : unit.toLowerCase()) ?? 0;
	return Math.round(pieces.reduce((sum, [, count, unit]) => sum + Number(count) * unitOf(unit), 0));
}
