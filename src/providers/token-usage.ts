import {isJsonObject, type Json} from '../core/json.ts';
import {noUsage, type TokenUsage} from '../core/session/usage.ts';
import {at, countAt} from './json-path.ts';

/**
 * Returns disjoint buckets from a prompt count that contains the cached tokens. Grok on Azure reports more cached than
 * all.
 */
export function usageOf(counts: {
	prompt: number;
	cacheRead: number;
	cacheWrite?: number;
	output: number;
	reasoning: number;
}): TokenUsage {
	const {prompt, cacheRead, cacheWrite = 0, output} = counts;
	const input = Math.max(0, prompt - cacheRead - cacheWrite);
	return {...noUsage, input, cacheRead, cacheWrite, output, reasoning: Math.min(counts.reasoning, output)};
}

/**
 * Reads usage as OpenAI's Chat Completions, Responses and compatible hosts report it; undefined if there is none. xAI
 * leaves reasoning out of the completion tokens, which shows in the total.
 */
export function openaiUsage(value: Json | undefined): TokenUsage | undefined {
	// Nearly every chunk of an answer has none.
	if (!isJsonObject(value)) {
		return undefined;
	}

	const prompt = countAt(value, 'prompt_tokens') ?? countAt(value, 'input_tokens');
	const completion = countAt(value, 'completion_tokens') ?? countAt(value, 'output_tokens') ?? 0;
	// No request has no tokens: some hosts end an answer with zeros after its real counts.
	if (prompt === undefined || (prompt === 0 && completion === 0)) {
		return undefined;
	}

	const cacheRead =
		countAt(value, 'prompt_tokens_details', 'cached_tokens') ??
		countAt(value, 'input_tokens_details', 'cached_tokens') ??
		countAt(value, 'prompt_cache_hit_tokens') ??
		countAt(value, 'cached_tokens') ??
		countAt(value, 'cache_read_input_tokens') ??
		0;
	const cacheWrite =
		countAt(value, 'prompt_tokens_details', 'cache_write_tokens') ??
		countAt(value, 'input_tokens_details', 'cache_write_tokens') ??
		countAt(value, 'prompt_tokens_details', 'cache_creation_tokens') ??
		countAt(value, 'cache_creation_input_tokens') ??
		0;
	const reasoning =
		countAt(value, 'completion_tokens_details', 'reasoning_tokens') ??
		countAt(value, 'output_tokens_details', 'reasoning_tokens') ??
		countAt(value, 'reasoning_tokens') ??
		0;
	const total = countAt(value, 'total_tokens') ?? 0;
	const apart = reasoning > completion || (reasoning > 0 && total === prompt + completion + reasoning);
	const costUsd = reportedCost(value);
	return {
		...usageOf({prompt, cacheRead, cacheWrite, output: apart ? completion + reasoning : completion, reasoning}),
		...(costUsd !== undefined && {costUsd}),
	};
}

/** xAI reports costs in ticks. */
const ticksPerUsd = 10_000_000_000;

/**
 * Returns the cost in US dollars that OpenRouter, Perplexity, DeepInfra or xAI reports. OpenRouter's fee comes on top
 * of what the vendor charges to the user's own key.
 */
function reportedCost(value: Json | undefined): number | undefined {
	const own = countAt(value, 'cost') ?? countAt(value, 'cost', 'total_cost') ?? countAt(value, 'estimated_cost');
	const upstream = at(value, 'is_byok') === true ? (countAt(value, 'cost_details', 'upstream_inference_cost') ?? 0) : 0;
	const ticks = countAt(value, 'cost_in_usd_ticks');
	return own === undefined ? ticks && ticks / ticksPerUsd : own + upstream;
}
