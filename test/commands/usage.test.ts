import {expect, test} from 'vitest';
import {periodOf} from '../../src/command/views/usage/period-view.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {done, said, start, used, user} from '../core/records.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';

const price = {table: '2026-01-01', input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15};
const request = (messageId: string, cacheRead: number, cacheWrite: number, tools = 't'): AgentEvent => ({
	type: 'usage',
	messageId,
	model: 'anthropic/claude-x',
	usage: {input: 10, cacheRead, cacheWrite, output: 100, reasoning: 0},
	cause: 'turn',
	price,
	prefix: {system: 's', tools, count: 1, messages: 'm', earlier: 'm'},
});

const talk = [start, user('Go'), said('Done.'), request('m1', 0, 20_000), request('m2', 20_000, 300)];

test('the last jump in cost is explained, also in a shell', async () => {
	const here = testContext();
	await saveSession(here, [...talk, request('m3', 0, 21_000, 'other'), done]);
	const result = await here.run('usage', 'why');
	expect(dataOf(result)).toMatchObject({reason: 'cache-lost', changed: ['tools'], cost_usd: 0.08028});
	const text = drawn(result, 80).replace(/\s+/g, ' ');
	expect(text).toMatch(/request \d\d:\d\d:\d\d, /);
	expect(text).toContain('The cache was lost. The tools changed, and every request begins with them.');
	const quiet = testContext();
	await saveSession(quiet, [start, user('Hi'), used('m1', 5), done]);
	expect(drawn(await quiet.run('usage', 'why'), 80)).toContain('Too few requests to compare.');
});

test('without a known price, what jumped are the tokens, and the price can be set', async () => {
	const here = testContext();
	await saveSession(here, [start, user('Go'), used('m1', 100), used('m2', 90_000), done]);
	const text = drawn(await here.run('usage', 'why'), 80).replace(/\s+/g, ' ');
	expect(text).not.toContain('jump in cost');
	expect(text).toContain('The last jump in tokens');
	expect(text).toContain('The price of custom/demo is unknown.');
	expect(text).toContain('config set prices.custom/demo 3,15');
	const even = testContext();
	await saveSession(even, [start, user('Go'), used('m1', 100), used('m2', 100), done], new Date().toISOString());
	expect(drawn(await even.run('usage', 'why'), 80)).toMatch(
		/^No jump in tokens\. The price of custom\/demo is unknown\./,
	);
	expect(drawn(await even.run('usage'), 100)).toContain('config set prices.custom/demo 3,15');
	expect(drawn(await even.run('usage', 'day'), 100)).toContain('config set prices.custom/demo 3,15');
});

test('requests are listed with their cause, and the price that they were made at', async () => {
	const here = testContext();
	await saveSession(here, [...talk, done]);
	expect(dataOf(await here.run('usage', 'requests'))).toMatchObject([
		{message_id: 'm1', cause: 'turn', cache_creation_input_tokens: 20_000, price: '2026-01-01', cost_usd: 0.07653},
		{message_id: 'm2', cache_read_input_tokens: 20_000, estimated: false},
	]);
});

test('a day and a month add all sessions up, and show what the cache saved', async () => {
	const here = testContext();
	await saveSession(here, [...talk, done], '2026-01-15T12:00:00.000Z');
	await saveSession(here, [start, user('Hi'), used('n1', 50, 5), done], '2026-01-15T12:01:00.000Z');
	const month = dataOf(await here.run('usage', 'month', '2026-01'));
	expect(month).toMatchObject({
		month: '2026-01',
		total: {requests: 3, sessions: 2, input_tokens: 70, cache_read_input_tokens: 20_000, unpriced: 1},
		sessions_left_out: 0,
	});
	const {days} = month as unknown as {readonly days: readonly {readonly day: string}[]};
	expect(days).toHaveLength(1);
	const day = await here.run('usage', 'day', days[0]?.day ?? '');
	expect(dataOf(day)).toMatchObject({models: [{model: 'anthropic/claude-x', requests: 2}, {model: 'custom/demo'}]});
	expect(drawn(day, 80)).toMatch(/custom\/demo +1 .* unknown\n/);
	expect(drawn(day, 80)).toMatch(/50% of the input came from the cache, which saved \$0\.0\d+\./);
	expect(drawn(await here.run('usage', 'day', '2025-02-28'), 80)).toContain('Nothing used.');
});

test.each([
	['day', '2026-02-30'],
	['day', '2026-02'],
	['day', 'last'],
	['month', 'yesterday'],
	['month', '2026-13'],
	['month', '2026-01-01'],
	['month', '٢٠٢٦-٠١'],
])('usage %s %s is refused', async (kind, date) => {
	await expect(testContext().run('usage', kind, date)).rejects.toMatchObject({
		code: 'usage',
		message: `Invalid ${kind} “${date}”.`,
	});
});

test.each([
	['day', undefined, '2026-03-01T00:30', '2026-03-01'],
	['day', 'today', '2026-03-01T00:30', '2026-03-01'],
	['day', 'Yesterday', '2026-03-01T00:30', '2026-02-28'],
	['month', undefined, '2026-03-31T23:30', '2026-03'],
	['month', 'this', '2026-03-31T23:30', '2026-03'],
	['month', 'last', '2026-03-31T23:30', '2026-02'],
	['month', 'last', '2026-01-31T23:30', '2025-12'],
] as const)('usage %s %s at %s is that of %s', (kind, word, now, name) => {
	const period = periodOf(kind, word, new Date(now).getTime());
	expect(period).toEqual({...periodOf(kind, name, 0), name});
});
