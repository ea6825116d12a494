import {expect, test} from 'vitest';
import {done, start, used, user} from '../core/records.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';

test('budgets are set, shown and removed', async () => {
	const here = testContext();
	const set = async (...words: readonly string[]) => dataOf(await here.runInApp('budget', ...words));
	const limits = (data: unknown) =>
		(data as readonly {readonly limit_usd: number | null}[]).map(({limit_usd}) => limit_usd);
	expect(limits(await set())).toEqual([null, null, null]);
	expect(limits(await set('$5'))).toEqual([null, 5, null]);
	expect(limits(await set('turn', '0.50'))).toEqual([0.5, 5, null]);
	expect(limits(await set('day', '20'))).toEqual([0.5, 5, 20]);
	expect(here.context.program.local.config.read().settings.budgetDayUsd).toBe(20);
	expect(limits(await set('turn', 'off'))).toEqual([null, 5, 20]);
	expect(drawn(await here.runInApp('budget'), 80)).toMatch(/this session +\$5\.00 +\$0\.00 +\$5\.00/);
	expect(limits(await set('5', 'USD'))).toEqual([null, 5, 20]);
	expect(limits(await set('off'))).toEqual([null, null, null]);
	expect(here.context.program.local.config.read().settings.budgetDayUsd).toBe(undefined);
});

test.each([
	[['0'], 'too small'],
	[['-5'], '-5'],
	[['NaN'], 'Invalid amount “NaN”.'],
	[['€5'], 'Invalid amount “€5”.'],
	[['day'], 'The amount is missing.'],
	[['week', '5'], 'Unknown budget “week”.'],
	[['day', '1e99'], 'Invalid amount “1e99”.'],
	[['session', '99999999'], 'too large'],
])('%j is refused, and changes nothing', async (words, message) => {
	const here = testContext();
	await here.runInApp('budget', '5');
	await expect(here.runInApp('budget', ...words)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringContaining(message),
	});
	expect(here.store.getState().transcript.budgets).toMatchObject({session: 5});
});

test('a shell sets the budget of a day alone', async () => {
	const here = testContext();
	await expect(here.run('budget', '5')).rejects.toMatchObject({code: 'usage', message: 'Only the app has a session.'});
	await here.run('budget', 'day', '5');
	expect(here.context.program.local.config.read().settings.budgetDayUsd).toBe(5);
	await here.run('budget', 'off');
	expect(here.context.program.local.config.read().settings.budgetDayUsd).toBe(undefined);
});

test('a negative budget is refused with what a budget must be', async () => {
	await expect(testContext().run('budget', '-5')).rejects.toMatchObject({
		...{code: 'usage', message: 'Invalid amount “-5”.'},
		hint: 'A budget is an amount above 0 in US dollars, such as 5 or 0.50.',
	});
});

test('a model without a known price is named at once, with how to set it, and set it is', async () => {
	const here = testContext();
	here.store.getState().setModel('custom/own');
	expect(drawn(await here.runInApp('budget', '5'), 100)).toContain(
		'The price of custom/own is unknown, so no budget can stop it.\nSet US dollars per million tokens, in and out: /config set prices.custom/own 3,15',
	);
	await here.runInApp('config', 'set', 'prices.custom/own', '3,15');
	await here.runInApp('config', 'set', 'windows.custom/own', '128k');
	expect(drawn(await here.runInApp('budget'), 100)).not.toContain('unknown');
	const {priceOf} = await here.context.program.models.catalog();
	expect(priceOf('custom/own')).toMatchObject({input: 3, output: 15});
	expect(here.store.getState().infoOf('custom/own')).toMatchObject({name: 'own', contextWindow: 128_000});
	expect(drawn(await here.runInApp('context'), 100)).toContain('of 128k tokens');
	await expect(here.runInApp('config', 'set', 'prices.custom/own', 'cheap')).rejects.toMatchObject({
		...{code: 'usage', message: expect.stringContaining('US dollars in and out, such as [3, 15]')},
	});
});

test('a budget with requests whose price is unknown says so, and how to set it, not that nothing was spent', async () => {
	const here = testContext();
	await saveSession(here, [start, user('Hi'), used('m1', 5000), done], new Date().toISOString());
	const unpriced = dataOf(await here.run('budget', 'day', '20'));
	expect(unpriced).toMatchObject([{}, {}, {budget: 'day', spent_usd: null, unpriced_requests: 1}]);
	const text = drawn(await here.run('budget'), 100);
	expect(text).toMatch(/today, all sessions +\$20\.00 +unknown +unknown/);
	expect(text).toContain('The price of custom/demo is unknown, so no budget can stop it.');
	expect(text).toContain('config set prices.custom/demo 3,15');
	await here.run('config', 'set', 'prices.custom/demo', '3,15');
	expect(drawn(await here.run('budget'), 100)).not.toContain('unknown');
});

test('the hint names only what can be typed where it is read', async () => {
	const here = testContext();
	expect(drawn(await here.run('budget'), 80)).not.toContain('for this session:');
	expect(
		drawn(await here.runInApp('budget'), 80)
			.split('\n')
			.slice(-2)
			.map(line => line.trim()),
	).toEqual([
		expect.stringMatching(/^Set one for this session: .*budget 5/),
		expect.stringMatching(/^Set one for every day: .*budget day 20/),
	]);
});
