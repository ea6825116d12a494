import type {Json} from '../core/json.ts';
import {noUsage, type TokenUsage} from '../core/usage.ts';
import {countAt} from './json-path.ts';

/** Makes disjoint buckets of a prompt count that contains the cached tokens. Grok on Azure reports more cached than all. */
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
 * Reads usage as OpenAI's Chat Completions and Responses and their many followers report it; undefined where nothing was
 * counted. xAI leaves reasoning out of the completion tokens, which shows in the total.
 */
export function openaiUsage(value: Json | undefined): TokenUsage | undefined {
	const prompt = countAt(value, 'prompt_tokens') ?? countAt(value, 'input_tokens');
	const completion = countAt(value, 'completion_tokens') ?? countAt(value, 'output_tokens') ?? 0;
	if (prompt === undefined) {
		return undefined;
	}

	const cacheRead =
		countAt(value, 'prompt_tokens_details', 'cached_tokens') ??
		countAt(value, 'input_tokens_details', 'cached_tokens') ??
		countAt(value, 'prompt_cache_hit_tokens') ??
		countAt(value, 'cached_tokens') ??
		0;
	const cacheWrite =
		countAt(value, 'prompt_tokens_details', 'cache_write_tokens') ??
		countAt(value, 'input_tokens_details', 'cache_write_tokens') ??
		0;
	const reasoning =
		countAt(value, 'completion_tokens_details', 'reasoning_tokens') ??
		countAt(value, 'output_tokens_details', 'reasoning_tokens') ??
		countAt(value, 'reasoning_tokens') ??
		0;
	const total = countAt(value, 'total_tokens') ?? 0;
	const apart = reasoning > completion || (reasoning > 0 && total === prompt + completion + reasoning);
	return usageOf({prompt, cacheRead, cacheWrite, output: apart ? completion + reasoning : completion, reasoning});
}
