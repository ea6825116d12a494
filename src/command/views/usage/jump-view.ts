import {formatClock, formatDuration, formatNumber, formatUsd} from '../../../core/format.ts';
import {type CacheChange, type CostJump, cacheLifeMs} from '../../../core/ledger/cost-jump.ts';
import {contextTokens, type MessageUsage} from '../../../core/session/usage.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';
import type {Result} from '../../result.ts';
import {setPriceNote} from './unknown-price.ts';

/**
 * Returns why the cost jumped last, or the tokens where a price is unknown, which is said, too. In the app it says where large
 * results are.
 */
export function jumpResult(
	jump: CostJump | undefined,
	requests: number,
	{isInApp, unpriced}: {readonly isInApp: boolean; readonly unpriced: readonly string[]},
): Result {
	const [model] = unpriced;
	const priced = model && {text: `The price of ${safeLine(model)} is unknown.`, hint: setPriceNote(model)};
	if (!jump) {
		const data = {reason: null};
		if (requests < 2) {
			return {kind: 'text', text: 'Too few requests to compare.', data};
		}

		return priced
			? {kind: 'text', text: `No jump in tokens. ${priced.text}`, hint: priced.hint, data}
			: {kind: 'text', text: 'No jump in cost: each request cost about as much as the one before.', data};
	}

	const {request, before, usd, beforeUsd, reason, changed, gapMs} = jump;
	const isPriced = usd !== null && beforeUsd !== null;
	const record = {
		kind: 'record',
		title: isPriced ? 'The last jump in cost' : 'The last jump in tokens',
		fields: [
			[
				'request',
				`${formatClock(Date.parse(request.at))}, ${safeLine(request.model)}, for a ${request.cause ?? 'turn'}`,
			],
			['cost', `${formatUsd(usd)}, after ${formatUsd(beforeUsd)} for the one before`],
			[
				'read',
				`${formatNumber(contextTokens(request.usage))} tokens, ${cachedText(request)}; before: ${cachedText(before)}`,
			],
			[
				'why',
				[sentencesOf(jump), ...(isInApp && reason === 'input' ? ['Large results are in /context.'] : [])].join(' '),
			],
		],
		data: {
			at: request.at,
			model: request.model,
			cause: request.cause ?? null,
			cost_usd: usd,
			cost_before_usd: beforeUsd,
			reason,
			changed: [...changed],
			seconds_between: Math.round(gapMs / 1000),
		},
	} as const;
	return isPriced || !priced ? record : {kind: 'group', parts: [record, {kind: 'text', ...priced}], data: record.data};
}

function cachedText({usage}: MessageUsage): string {
	const read = contextTokens(usage);
	return `${read === 0 ? 0 : Math.round((100 * usage.cacheRead) / read)}% from the cache`;
}

function sentencesOf(jump: CostJump): string {
	const {reason, changed, request, before} = jump;
	switch (reason) {
		case 'cache-lost':
			return `The cache was lost. ${changed.map(change => changeText(change, jump)).join(' ')}`;
		case 'compaction':
			return 'It wrote the summary of a compaction.';
		case 'model':
			return `The model changed from ${safeLine(before.model)}.`;
		case 'output':
			return `The answer was longer: ${formatNumber(request.usage.output)} tokens, after ${formatNumber(before.usage.output)}.`;
		case 'input': {
			const fresh = ({usage}: MessageUsage) => formatNumber(usage.input + usage.cacheWrite);
			return `It read more that was new: ${fresh(request)} tokens, after ${fresh(before)}.`;
		}
		default:
			return reason satisfies never;
	}
}

function changeText(change: CacheChange, {request, before, gapMs}: CostJump): string {
	switch (change) {
		case 'model':
			return `The model changed from ${safeLine(before.model)} to ${safeLine(request.model)}; each has a cache of its own.`;
		case 'tools':
			return 'The tools changed, and every request begins with them.';
		case 'instructions':
			return 'The instructions changed, such as those of AGENTS.md or of plan mode.';
		case 'effort':
			return 'The reasoning effort changed.';
		case 'compaction':
			return 'The conversation was compacted, or a compaction was undone.';
		case 'conversation':
			return 'Earlier messages changed, as after a rewind or where a credential was masked.';
		case 'time':
			return `It came ${formatDuration(gapMs)} after the one before; caches last about ${formatDuration(cacheLifeMs)}.`;
		case 'unknown':
			return 'Nothing changed here: the provider dropped it.';
		default:
			return change satisfies never;
	}
}
