import fc from 'fast-check';
import {expect, test} from 'vitest';
import {openaiUsage} from '../../src/providers/token-usage.ts';

const usage = (input: number, cacheRead: number, cacheWrite: number, output: number, reasoning: number) => ({
	input,
	cacheRead,
	cacheWrite,
	output,
	reasoning,
});

test.each([
	[
		'OpenAI',
		{
			prompt_tokens: 10,
			completion_tokens: 5,
			total_tokens: 15,
			prompt_tokens_details: {cached_tokens: 4},
			completion_tokens_details: {reasoning_tokens: 3},
		},
		usage(6, 4, 0, 5, 3),
	],
	[
		'Responses',
		{
			input_tokens: 10,
			output_tokens: 5,
			total_tokens: 15,
			input_tokens_details: {cached_tokens: 4},
			output_tokens_details: {reasoning_tokens: 3},
		},
		usage(6, 4, 0, 5, 3),
	],
	[
		'xAI, which leaves reasoning out of the completion',
		{prompt_tokens: 10, completion_tokens: 5, total_tokens: 22, completion_tokens_details: {reasoning_tokens: 7}},
		usage(10, 0, 0, 12, 7),
	],
	[
		'a host that leaves it out and tells no total',
		{prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: {reasoning_tokens: 7}},
		usage(10, 0, 0, 12, 7),
	],
	['DeepSeek', {prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 8}, usage(2, 8, 0, 5, 0)],
	['Moonshot', {prompt_tokens: 10, completion_tokens: 5, cached_tokens: 8}, usage(2, 8, 0, 5, 0)],
	[
		'OpenRouter',
		{prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: {cached_tokens: 3, cache_write_tokens: 4}},
		usage(3, 3, 4, 5, 0),
	],
	[
		'LiteLLM and Bedrock gateways',
		{
			prompt_tokens: 10,
			completion_tokens: 5,
			prompt_tokens_details: {cached_tokens: 3, cache_creation_tokens: 4},
			cache_read_input_tokens: 3,
			cache_creation_input_tokens: 4,
		},
		usage(3, 3, 4, 5, 0),
	],
	[
		'gateways that have the fields of Anthropic alone',
		{prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 4},
		usage(3, 3, 4, 5, 0),
	],
	[
		'Grok on Azure, with more cached than all',
		{prompt_tokens: 3, completion_tokens: 5, prompt_tokens_details: {cached_tokens: 8}},
		usage(0, 8, 0, 5, 0),
	],
	[
		'a host without details',
		{prompt_tokens: 3, completion_tokens: 5, prompt_tokens_details: null},
		usage(3, 0, 0, 5, 0),
	],
])('usage is read as %s reports it', (_, value, expected) => {
	expect(openaiUsage(value)).toEqual(expected);
});

test.each([
	[undefined],
	[null],
	[{}],
	[[]],
	['10'],
	[{prompt_tokens: '10'}],
	[{prompt_tokens: -1}],
	[{prompt_tokens: 0, completion_tokens: 0}],
])('%j counts nothing', value => {
	expect(openaiUsage(value)).toBeUndefined();
});

test('no bucket is negative, and the output contains the reasoning', () => {
	const count = fc.oneof(fc.nat(100), fc.constantFrom(-5, Number.NaN, null, '7', undefined));
	fc.assert(
		fc.property(
			fc.integer({min: 1, max: 100}),
			count,
			count,
			count,
			count,
			count,
			(prompt, completion, total, cached, written, reasoning) => {
				const found = openaiUsage(
					JSON.parse(
						JSON.stringify({
							prompt_tokens: prompt,
							completion_tokens: completion,
							total_tokens: total,
							prompt_tokens_details: {cached_tokens: cached, cache_write_tokens: written},
							completion_tokens_details: {reasoning_tokens: reasoning},
						}),
					),
				);
				expect(Math.min(...Object.values(found ?? {none: -1}).map(Number))).toBeGreaterThanOrEqual(0);
				expect(found?.reasoning).toBeLessThanOrEqual(found?.output ?? 0);
			},
		),
	);
});

test.each([
	['OpenRouter', {cost: 0.375, is_byok: false, cost_details: {upstream_inference_cost: 0.3}}, 0.375],
	[
		'OpenRouter with a key of the user',
		{cost: 0.02, is_byok: true, cost_details: {upstream_inference_cost: 0.3}},
		0.32,
	],
	['Perplexity', {cost: {input_tokens_cost: 0.1, total_cost: 0.3}}, 0.3],
	['DeepInfra', {estimated_cost: 0.004}, 0.004],
	['xAI', {cost_in_usd_ticks: 5_596_400}, 0.00055964],
	['a free model', {cost: 0}, 0],
	['a host that says nothing', {}, undefined],
])('the cost that %s reports is read', (_, said, expected) => {
	expect(openaiUsage({prompt_tokens: 1, completion_tokens: 1, ...said})?.costUsd).toBe(expected);
});
