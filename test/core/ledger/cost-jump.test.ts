import {describe, expect, test} from 'vitest';
import {cacheSaving} from '../../../src/core/ledger/cache-saving.ts';
import {lastJump} from '../../../src/core/ledger/cost-jump.ts';
import type {MessageUsage, PriceOf, TokenUsage} from '../../../src/core/session/usage.ts';

const prices: PriceOf = model =>
	model === 'a/one'
		? {input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15}
		: model === 'a/two'
			? {input: 30, cacheRead: 3, cacheWrite: 37.5, output: 150}
			: undefined;

const prefix = {system: 's', tools: 't', count: 2, messages: 'x', earlier: 'w'};
const before: MessageUsage = {
	model: 'a/one',
	usage: {input: 10, cacheRead: 40_000, cacheWrite: 500, output: 200, reasoning: 0},
	current: true,
	at: '2026-01-01T10:00:00Z',
	cause: 'turn',
	prefix,
};

/** Returns a request right after `before` that the cache did not have, changed by what is given. */
function lost(given: Partial<MessageUsage>): MessageUsage {
	return {
		...before,
		usage: {input: 10, cacheRead: 0, cacheWrite: 41_000, output: 200, reasoning: 0},
		at: '2026-01-01T10:01:00Z',
		prefix: {...prefix, count: 4, messages: 'y', earlier: 'x'},
		...given,
	};
}

describe('a lost cache is explained by what changed', () => {
	const next = {...prefix, count: 4, messages: 'y', earlier: 'x'};
	test.each<[string, Partial<MessageUsage>, readonly string[]]>([
		['the model', {model: 'a/two'}, ['model']],
		['the tools', {prefix: {...next, tools: 'other'}}, ['tools']],
		['the instructions', {prefix: {...next, system: 'other'}}, ['instructions']],
		['the effort', {prefix: {...next, effort: 'high'}}, ['effort']],
		['earlier messages', {prefix: {...next, earlier: 'other'}}, ['conversation']],
		['the time', {at: '2026-01-01T10:06:00Z'}, ['time']],
		['tools, and the time', {prefix: {...next, tools: 'other'}, at: '2026-01-01T11:00:00Z'}, ['tools', 'time']],
		['nothing', {}, ['unknown']],
		['nothing that an older version recorded', {prefix: undefined}, ['unknown']],
	])('%s', (_, given, changed) => {
		expect(lastJump([before, lost(given)], prices)).toMatchObject({reason: 'cache-lost', changed});
	});

	test('a compaction, before it and after it was undone', () => {
		const folded = {...before, current: false};
		const summary: MessageUsage = {...folded, cause: 'compaction', at: '2026-01-01T10:00:30Z'};
		expect(lastJump([folded, summary, lost({})], prices)).toMatchObject({
			reason: 'cache-lost',
			changed: ['compaction'],
		});
		expect(lastJump([folded, lost({})], prices)).toMatchObject({changed: ['compaction']});
	});
});

describe('a jump without a lost cache', () => {
	const usage = (given: Partial<TokenUsage>) => lost({usage: {...before.usage, cacheRead: 41_000, ...given}});
	test.each<[string, MessageUsage, string]>([
		['a long answer', usage({output: 9000}), 'output'],
		['a large result', usage({cacheWrite: 60_000}), 'input'],
		['another model without a cache', {...usage({}), model: 'a/two'}, 'model'],
		['a summary', {...usage({output: 9000}), cause: 'compaction'}, 'compaction'],
	])('%s', (_, request, reason) => {
		expect(lastJump([before, request], prices)).toMatchObject({reason, changed: []});
	});

	test('the last one counts, and requests of sub-agents do not', () => {
		const long = usage({output: 9000});
		const task: MessageUsage = {...lost({}), cause: 'task'};
		expect(lastJump([before, long, before, lost({}), before, task], prices)?.reason).toBe('cache-lost');
		expect(lastJump([before, before, before], prices)).toBe(undefined);
		expect([lastJump([], prices), lastJump([before], prices)]).toEqual([undefined, undefined]);
	});

	test('a model without a known price is compared by its tokens', () => {
		const [first, second] = [before, lost({})].map(message => ({...message, model: 'x/y'}));
		expect(first && second && lastJump([first, second], prices)).toMatchObject({usd: null, reason: 'cache-lost'});
	});
});

test('the saving of a cache is what it read at a lower price, less what writing it cost', () => {
	const usage = {input: 0, cacheRead: 1_000_000, cacheWrite: 1_000_000, output: 5, reasoning: 0};
	expect(cacheSaving([{model: 'a/one', usage}], prices)).toEqual({share: 0.5, usd: expect.closeTo(1.95, 9)});
	expect(cacheSaving([{model: 'x/y', usage}], prices)).toEqual({share: 0.5, usd: null});
	expect(cacheSaving([{model: 'a/one', usage: {...usage, cacheRead: 0, cacheWrite: 0}}], prices)).toBe(undefined);
	expect(cacheSaving([], prices)).toBe(undefined);
});
