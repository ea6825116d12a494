import type {Database} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';

const windowMs = 60_000;

/** How many counts are kept before those that are over are removed. */
const maxCounts = 10_000;

type Count = {used: number; readonly endsMs: number};

/** What an API key may still send in its minute. */
export type Allowance = {
	readonly limit: number;
	readonly remaining: number;
	/** Until the count starts again. */
	readonly seconds: number;
	readonly isOver: boolean;
};

/** Counts the requests of each API key in a minute that begins with its first request. */
export type RateLimits = {readonly count: (keyId: string, limit: number, nowMs: number) => Allowance};

export function createRateLimits(): RateLimits {
	const counts = new Map<string, Count>();
	return {
		count(keyId, limit, nowMs) {
			const known = counts.get(keyId);
			// A clock that was set back starts a new minute, too.
			const isCurrent = known !== undefined && nowMs < known.endsMs && nowMs >= known.endsMs - windowMs;
			const count = isCurrent ? known : {used: 0, endsMs: nowMs + windowMs};
			if (!isCurrent && counts.size >= maxCounts) {
				removeEnded(counts, nowMs);
			}

			counts.set(keyId, count);
			const isOver = count.used >= limit;
			count.used += isOver ? 0 : 1;
			return {
				limit,
				remaining: Math.max(0, limit - count.used),
				seconds: Math.max(1, Math.ceil((count.endsMs - nowMs) / 1000)),
				isOver,
			};
		},
	};
}

function removeEnded(counts: Map<string, Count>, nowMs: number): void {
	for (const [keyId, {endsMs}] of counts) {
		if (endsMs <= nowMs) {
			counts.delete(keyId);
		}
	}
}

const limitsOf = new WeakMap<Database, RateLimits>();
const allowances = new WeakMap<Request, Allowance>();

type Limited = {readonly keyId: string; readonly limit: number; readonly now: Date};

/**
 * Counts a request against the limit of its API key on this server. Rejects (429) it if the minute's requests are used up. Each
 * server counts for itself: a count that they share would cost a write for each request.
 */
export function countRequest(database: Database, request: Request, {keyId, limit, now}: Limited): void {
	const limits = limitsOf.get(database) ?? createRateLimits();
	limitsOf.set(database, limits);
	const allowance = limits.count(keyId, limit, now.getTime());
	allowances.set(request, allowance);
	if (allowance.isOver) {
		reject(429, `This API key may send ${limit} requests a minute. Try again in ${allowance.seconds} s.`, {
			headers: {'retry-after': String(allowance.seconds), ...fieldsOf(allowance)},
		});
	}
}

/** Adds to a response what the API key of its request may still send. */
export function announceLimit(request: Request, {headers}: Response): void {
	const allowance = allowances.get(request);
	for (const [name, value] of Object.entries(allowance ? fieldsOf(allowance) : {})) {
		headers.set(name, value);
	}
}

/** Returns the fields of draft-ietf-httpapi-ratelimit-headers-10: the policy, and what is left of it. */
function fieldsOf({limit, remaining, seconds}: Allowance): Readonly<Record<string, string>> {
	return {
		'ratelimit-policy': `"api-key";q=${limit};w=${windowMs / 1000}`,
		ratelimit: `"api-key";r=${remaining};t=${seconds}`,
	};
}
