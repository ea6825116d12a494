import {formatNumber, formatUsd} from '../../core/format.ts';
import type {CacheSaving} from '../../core/ledger/cache-saving.ts';
import {cacheSaving} from '../../core/ledger/cache-saving.ts';
import {sessionUsage} from '../../core/session/session-usage.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import {type MessageUsage, type PriceOf, type SessionUsage, totalCost, usageByModel} from '../../core/session/usage.ts';
import type {Result} from '../result.ts';
import {setPriceNote} from './usage/unknown-price.ts';

type TableOptions = {
	readonly title: string;
	/** Formats US dollars, and null for an unknown cost. */
	readonly cost: (usd: number | null) => string;
};

/** Returns every field of the usage shape, the current era next to the total. A field that the server left out is `?`. */
export function usageTable(usage: Partial<SessionUsage>, {title, cost}: TableOptions): Result {
	const row = (label: string, current: number | undefined, total: number | undefined) => [
		label,
		count(current),
		count(total),
	];
	const {compaction_count: compactions, last_generation_input_tokens: last} = usage;
	return {
		kind: 'table',
		title,
		columns: [{label: ''}, {label: 'current', align: 'right'}, {label: 'total', align: 'right'}],
		rows: [
			row('messages', usage.current_message_count, usage.total_message_count),
			row('tool calls', usage.current_tool_call_count, usage.total_tool_call_count),
			row('input tokens', usage.current_input_tokens, usage.total_input_tokens),
			row('cache read', usage.current_cache_read_input_tokens, usage.total_cache_read_input_tokens),
			row('cache write', usage.current_cache_creation_input_tokens, usage.total_cache_creation_input_tokens),
			row('output tokens', usage.current_output_tokens, usage.total_output_tokens),
			['cost', cost(usage.current_cost_usd ?? null), cost(usage.total_cost_usd ?? null)],
		],
		empty: '',
		notes: [
			`Compactions: ${count(compactions)} · ${last === null ? 'no requests yet' : `last request: ${count(last)} input tokens`}`,
		],
		data: null,
	};
}

function count(value: number | undefined): string {
	return value === undefined ? '?' : formatNumber(value);
}

/** Returns the usage of a session: the current era next to the total, then the cost by model. */
export function usageResult(
	transcript: Transcript,
	priceOf: PriceOf,
	priceDate: string,
): Extract<Result, {kind: 'group'}> {
	const usage = sessionUsage(transcript, priceOf);
	const messages = [...transcript.usage.values()];
	const models = [...usageByModel(messages)].map(([model, used]) => {
		const own = messages.filter(message => message.model === model);
		return {model, used, usd: totalCost(own, priceOf)};
	});
	const cost = (usd: number | null) => (models.length === 0 ? 'none yet' : formatUsd(usd));
	const saving = cacheSaving(messages, priceOf);
	const right = 'right';
	return {
		kind: 'group',
		parts: [
			usageTable(usage, {title: 'Usage of this session', cost}),
			{
				kind: 'table',
				title: 'By model',
				columns: [
					{label: 'model', cut: 'middle'},
					{label: 'input', align: right},
					{label: 'cache read', align: right, spare: true},
					{label: 'cache write', align: right, spare: true},
					{label: 'output', align: right},
					{label: 'cost', align: right},
				],
				rows: models.map(({model, used, usd}) => [
					model,
					count(used.input),
					count(used.cacheRead),
					count(used.cacheWrite),
					count(used.output),
					formatUsd(usd),
				]),
				empty: 'Nothing used yet. Send a message first.',
				notes:
					models.length > 0
						? [
								...(saving ? [savingText(saving)] : []),
								...notesOn(
									messages,
									priceDate,
									models.flatMap(({model, usd}) => (usd === null ? [model] : [])),
								),
							]
						: [],
				data: null,
			},
		],
		data: {
			usage,
			...(saving && {cache: {input_share: saving.share, saved_usd: saving.usd}}),
			models: models.map(({model, used, usd}) => ({
				model,
				input_tokens: used.input,
				cache_read_input_tokens: used.cacheRead,
				cache_creation_input_tokens: used.cacheWrite,
				output_tokens: used.output,
				reasoning_tokens: used.reasoning,
				cost_usd: usd,
			})),
		},
	};
}

function notesOn(messages: readonly MessageUsage[], priceDate: string, unpriced: readonly string[]): readonly string[] {
	const estimated = messages.filter(({usage}) => usage.estimated).length;
	return [
		`Prices as of ${priceDate}.${unpriced.length > 0 ? ' “unknown” = no price on record (not free).' : ''}`,
		...unpriced.map(setPriceNote),
		...(estimated > 0
			? [`Includes estimates for ${estimated} ${estimated === 1 ? 'message' : 'messages'} without a count.`]
			: []),
	];
}

/** Returns the sentence about what the cache saved. */
export function savingText({share, usd}: CacheSaving): string {
	const saved =
		usd === null ? '' : usd < 0 ? `, which cost ${formatUsd(-usd)} so far` : `, which saved ${formatUsd(usd)}`;
	return `${Math.round(100 * share)}% of the input came from the cache${saved}.`;
}
