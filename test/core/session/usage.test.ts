import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {sessionUsage} from '../../../src/core/session/session-usage.ts';
import {costOf, noUsage, type Price, sumUsage, totalCost, usageByModel} from '../../../src/core/session/usage.ts';
import {answered, called, folded, said, start, transcriptOf, used, user} from '../records.ts';

const price: Price = {input: 1, cacheRead: 0.1, cacheWrite: 2, output: 10};
const priceOf = (model: string) => (model === 'custom/demo' ? price : undefined);

const empty = {
	compaction_count: 0,
	current_cache_creation_input_tokens: 0,
	current_cache_read_input_tokens: 0,
	current_cost_usd: null,
	current_input_tokens: 0,
	current_message_count: 0,
	current_output_tokens: 0,
	current_tool_call_count: 0,
	last_generation_input_tokens: null,
	total_cache_creation_input_tokens: 0,
	total_cache_read_input_tokens: 0,
	total_cost_usd: null,
	total_input_tokens: 0,
	total_message_count: 0,
	total_output_tokens: 0,
	total_tool_call_count: 0,
};

test('a session without usage reports zeros, and null for unknown values', () => {
	expect(sessionUsage(transcriptOf(), priceOf)).toEqual(empty);
});

test('every field is counted, with separate buckets', () => {
	const usage = {input: 1000, cacheRead: 200, cacheWrite: 30, output: 4, reasoning: 3};
	const transcript = transcriptOf(start, user('Hi'), said('Hello'), called('c1'), answered('c1'), {
		type: 'usage',
		messageId: 'm1',
		model: 'custom/demo',
		usage,
	});
	expect(sessionUsage(transcript, priceOf)).toEqual({
		...empty,
		current_cache_creation_input_tokens: 30,
		current_cache_read_input_tokens: 200,
		current_cost_usd: 0.00112,
		current_input_tokens: 1000,
		current_message_count: 2,
		current_output_tokens: 4,
		current_tool_call_count: 1,
		last_generation_input_tokens: 1230,
		total_cache_creation_input_tokens: 30,
		total_cache_read_input_tokens: 200,
		total_cost_usd: 0.00112,
		total_input_tokens: 1000,
		total_message_count: 2,
		total_output_tokens: 4,
		total_tool_call_count: 1,
	});
});

test('the last usage of a message replaces earlier ones', () => {
	const transcript = transcriptOf(used('m1', 10, 1), used('m1', 12, 5), used('m2', 100, 2));
	expect(sessionUsage(transcript, priceOf)).toMatchObject({total_input_tokens: 112, total_output_tokens: 7});
});

test('a compaction separates the current era from the total', () => {
	const transcript = transcriptOf(
		user('a'),
		said('b'),
		called('c1'),
		answered('c1'),
		used('m1', 100, 10),
		folded(),
		user('c'),
		used('m2', 20, 3),
		said('d', 'm2'),
	);
	expect(sessionUsage(transcript, priceOf)).toMatchObject({
		compaction_count: 1,
		current_input_tokens: 20,
		current_output_tokens: 3,
		current_message_count: 3,
		current_tool_call_count: 0,
		current_cost_usd: costOf({...noUsage, input: 20, output: 3}, price),
		last_generation_input_tokens: 20,
		total_input_tokens: 120,
		total_output_tokens: 13,
		total_message_count: 5,
		total_tool_call_count: 1,
	});
});

test('right after a compaction nothing is used in the current era, and its cost is null', () => {
	expect(sessionUsage(transcriptOf(user('a'), used('m1', 100), folded()), priceOf)).toMatchObject({
		current_cost_usd: null,
		current_input_tokens: 0,
		current_message_count: 1,
		total_cost_usd: 0.0001,
		total_message_count: 2,
	});
});

test('one message at an unknown price makes the cost null, never partial and never 0', () => {
	const transcript = transcriptOf(used('m1', 10), used('m2', 10, 0, 'custom/else'));
	expect(sessionUsage(transcript, priceOf)).toMatchObject({current_cost_usd: null, total_cost_usd: null});
	expect(costOf({...noUsage, input: 1}, undefined)).toBeNull();
});

test('a free model costs 0, which is not unknown', () => {
	const free = {input: 0, cacheRead: 0, cacheWrite: 0, output: 0};
	expect(sessionUsage(transcriptOf(used('m1', 10)), () => free)).toMatchObject({total_cost_usd: 0});
});

test('usage by model adds up to the whole, in the order of first use', () => {
	const model = fc.constantFrom('a/1', 'b/2', 'c/3');
	const count = fc.nat({max: 1e6});
	const usage = fc.record({input: count, cacheRead: count, cacheWrite: count, output: count, reasoning: count});
	fc.assert(
		fc.property(fc.array(fc.record({model, usage, current: fc.boolean()})), messages => {
			const byModel = usageByModel(messages);
			expect([...byModel.keys()]).toEqual([...new Set(messages.map(message => message.model))]);
			const parts = [...byModel.values()].map(sum => ({model: '', usage: sum, current: true}));
			expect(sumUsage(parts)).toEqual(sumUsage(messages));
			const all = totalCost(messages, () => price);
			expect(all ?? 0).toBeCloseTo(costOf(sumUsage(messages), price) ?? Number.NaN, 6);
		}),
	);
});

test('a longer prompt costs the price of its tier, with all its tokens', () => {
	const tiered: Price = {
		...price,
		tiers: [
			{above: 100, input: 2, cacheRead: 0.2, cacheWrite: 4, output: 15},
			{above: 1000, input: 3, cacheRead: 0.3, cacheWrite: 6, output: 20},
		],
	};
	expect(costOf({...noUsage, input: 60, cacheRead: 40, output: 10}, tiered)).toBeCloseTo(164e-6, 12);
	expect(costOf({...noUsage, input: 61, cacheRead: 40, output: 10}, tiered)).toBeCloseTo(280e-6, 12);
	expect(costOf({...noUsage, input: 1000, cacheWrite: 1}, tiered)).toBeCloseTo(3006e-6, 12);
});

test('the cost that a provider reports wins over the price, and is used without one', () => {
	const paid = (costUsd: number, model: string) => ({model, usage: {...noUsage, input: 10, costUsd}, current: true});
	const counted = {model: 'custom/demo', usage: {...noUsage, input: 1_000_000}, current: true};
	expect(totalCost([paid(0.375, 'custom/else'), paid(0.25, 'custom/demo'), counted], priceOf)).toBe(1.625);
});
