import {formatNumber, formatUsd} from '../core/format.ts';
import {sessionUsage} from '../core/session-usage.ts';
import type {Transcript} from '../core/transcript.ts';
import {costOf, type PriceOf, usageByModel} from '../core/usage.ts';
import type {Result} from './result.ts';

const count = (value: number | null) => (value === null ? 'none yet' : formatNumber(value));

/** Every field of the usage shape, the current era beside the total, then the cost by model. */
export function usageResult(transcript: Transcript, priceOf: PriceOf, priceDate: string): Result {
	const usage = sessionUsage(transcript, priceOf);
	const models = [...usageByModel([...transcript.usage.values()])];
	const cost = (usd: number | null) => (models.length === 0 ? 'none yet' : formatUsd(usd));
	const right = 'right';
	return {
		kind: 'group',
		parts: [
			{
				kind: 'table',
				title: 'Usage of this session',
				columns: [{label: ''}, {label: 'current', align: right}, {label: 'total', align: right}],
				rows: [
					['messages', count(usage.current_message_count), count(usage.total_message_count)],
					['tool calls', count(usage.current_tool_call_count), count(usage.total_tool_call_count)],
					['input tokens', count(usage.current_input_tokens), count(usage.total_input_tokens)],
					['cache read', count(usage.current_cache_read_input_tokens), count(usage.total_cache_read_input_tokens)],
					[
						'cache write',
						count(usage.current_cache_creation_input_tokens),
						count(usage.total_cache_creation_input_tokens),
					],
					['output tokens', count(usage.current_output_tokens), count(usage.total_output_tokens)],
					['cost', cost(usage.current_cost_usd), cost(usage.total_cost_usd)],
				],
				empty: '',
				notes: [
					`Compactions: ${usage.compaction_count} · last generation read ${count(usage.last_generation_input_tokens)}${usage.last_generation_input_tokens === null ? '' : ' tokens'}`,
				],
				data: null,
			},
			{
				kind: 'table',
				title: 'By model',
				columns: ['model', 'input', 'cache read', 'cache write', 'output', 'cost'].map((label, index) =>
					index === 0 ? {label} : {label, align: right},
				),
				rows: models.map(([model, used]) => [
					model,
					count(used.input),
					count(used.cacheRead),
					count(used.cacheWrite),
					count(used.output),
					formatUsd(costOf(used, priceOf(model))),
				]),
				empty: 'Nothing used yet.',
				notes: models.length > 0 ? [`Prices of ${priceDate}. “unknown”: nobody told us the price; it is not 0.`] : [],
				data: null,
			},
		],
		data: {
			usage,
			models: models.map(([model, used]) => ({
				model,
				input_tokens: used.input,
				cache_read_input_tokens: used.cacheRead,
				cache_creation_input_tokens: used.cacheWrite,
				output_tokens: used.output,
				reasoning_tokens: used.reasoning,
				cost_usd: costOf(used, priceOf(model)),
			})),
		},
	};
}
