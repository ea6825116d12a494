import {contextTokens, type PriceOf, type Spent, sumUsage} from '../session/usage.ts';

/** What a vendor's cache did for some requests. */
export type CacheSaving = {
	/** The share of all input that was read from it, from 0 to 1. */
	readonly share: number;
	/** US dollars that it saved, less what writing it cost; negative if it was written for nothing. Null if a price is unknown. */
	readonly usd: number | null;
};

/** Returns what the cache saved; undefined if no request read or wrote one. */
export function cacheSaving(requests: readonly Spent[], priceOf: PriceOf): CacheSaving | undefined {
	const sum = sumUsage(requests);
	if (sum.cacheRead + sum.cacheWrite === 0) {
		return undefined;
	}

	let usd: number | null = 0;
	for (const {model, usage, price = priceOf(model)} of requests) {
		const {cacheRead, cacheWrite} = usage;
		if (cacheRead + cacheWrite > 0) {
			const saved: number | null = price
				? (cacheRead * (price.input - price.cacheRead) - cacheWrite * (price.cacheWrite - price.input)) / 1e6
				: null;
			usd = usd === null || saved === null ? null : usd + saved;
		}
	}

	return {share: sum.cacheRead / contextTokens(sum), usd};
}
