import {contextTokens, costOfMessage, type MessageUsage, type PriceOf} from '../session/usage.ts';

/** What changed before a request that the vendor's cache did not have. */
export type CacheChange =
	| ('model' | 'tools' | 'instructions' | 'effort')
	| ('compaction' | 'conversation' | 'time' | 'unknown');

/** Why a request cost more than the one before it. */
export type JumpReason = 'cache-lost' | 'compaction' | 'model' | 'output' | 'input';

export type CostJump = {
	readonly request: MessageUsage;
	readonly before: MessageUsage;
	/** Null if a price is unknown. */
	readonly usd: number | null;
	readonly beforeUsd: number | null;
	readonly reason: JumpReason;
	/** What lost the cache; empty for another reason. */
	readonly changed: readonly CacheChange[];
	/** The time between both requests. */
	readonly gapMs: number;
};

/** A request that costs this many times as much as the one before is a jump. */
const leastFactor = 1.5;
const leastUsd = 0.0005;
/** The shortest time that vendors keep a cache. */
export const cacheLifeMs = 5 * 60_000;

/** Returns the last jump in cost in a session, given its requests in order; undefined if there was none. */
export function lastJump(messages: readonly MessageUsage[], priceOf: PriceOf): CostJump | undefined {
	const requests = messages.filter(({cause}) => cause !== 'task');
	for (let index = requests.length - 1; index > 0; index--) {
		const [before, request] = requests.slice(index - 1, index + 1);
		const jump = before && request && jumpBetween(before, request, priceOf);
		if (jump) {
			return jump;
		}
	}

	return undefined;
}

function jumpBetween(before: MessageUsage, request: MessageUsage, priceOf: PriceOf): CostJump | undefined {
	const [beforeUsd, usd] = [costOfMessage(before, priceOf), costOfMessage(request, priceOf)];
	const isPriced = beforeUsd !== null && usd !== null;
	const [less, more] = isPriced ? [beforeUsd, usd] : [weightOf(before), weightOf(request)];
	if (more < leastFactor * less || (isPriced && usd - beforeUsd < leastUsd)) {
		return undefined;
	}

	const changed = isCacheLost(before, request) ? changesBetween(before, request) : [];
	const gapMs = gapBetween(before, request);
	return {request, before, usd, beforeUsd, reason: reasonOf(before, request, changed.length > 0), changed, gapMs};
}

/** Returns the size of a request whose price is unknown, as tokens that were not in a cache. */
function weightOf({usage}: MessageUsage): number {
	return usage.input + usage.cacheWrite + 0.1 * usage.cacheRead + 5 * usage.output;
}

/** True if a vendor that caches read less than half of the request before from its cache. */
function isCacheLost({usage: before}: MessageUsage, {usage}: MessageUsage): boolean {
	return before.cacheRead + before.cacheWrite > 0 && usage.cacheRead < contextTokens(before) / 2;
}

function gapBetween(before: MessageUsage, request: MessageUsage): number {
	return Math.max(0, Date.parse(request.at) - Date.parse(before.at)) || 0;
}

function changesBetween(before: MessageUsage, request: MessageUsage): readonly CacheChange[] {
	const [a, b] = [before.prefix, request.prefix];
	const isCompacted =
		(before.cause === 'compaction' && request.cause !== 'compaction') || before.current !== request.current;
	const found: readonly (readonly [CacheChange, boolean])[] = [
		['model', before.model !== request.model],
		['tools', a !== undefined && b !== undefined && a.tools !== b.tools],
		['instructions', a !== undefined && b !== undefined && a.system !== b.system],
		['effort', a?.effort !== b?.effort],
		['compaction', isCompacted],
		['conversation', !isCompacted && a !== undefined && b !== undefined && a.messages !== b.earlier],
		['time', gapBetween(before, request) > cacheLifeMs],
	];
	const changed = found.flatMap(([change, isSo]) => (isSo ? [change] : []));
	return changed.length > 0 ? changed : ['unknown'];
}

function reasonOf(before: MessageUsage, request: MessageUsage, isLost: boolean): JumpReason {
	if (isLost) {
		return 'cache-lost';
	}

	if (request.cause === 'compaction') {
		return 'compaction';
	}

	if (before.model !== request.model) {
		return 'model';
	}

	const uncached = ({usage}: MessageUsage) => usage.input + usage.cacheWrite;
	return 5 * (request.usage.output - before.usage.output) > uncached(request) - uncached(before) ? 'output' : 'input';
}
