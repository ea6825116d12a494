import {expect, test} from 'vitest';
import {api, inOrg} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey} from './platform.ts';

const refill = {
	enabled: true,
	has_payment_method: true,
	month_count: 2,
	month_reset: '2026-12-01T00:00:00Z',
	monthly_cap: 5,
	quantity: 10_000,
	threshold: 500,
};
const member = '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';

test.each([80, 120])('credit refills are drawn at %d columns', async width => {
	const {env, seen} = await api({[`GET ${inOrg}/credits/auto-refill`]: {json: refill}});
	const result = await testContext({env}).run('credits', 'show');
	expect(drawn(result, width).split('\n')).toEqual([
		'auto-refill         on',
		'payment method      on file',
		'refills below       500',
		'refills by          10,000',
		'refills this month  2 of 5 refills',
		'month resets        2026-12-01T00:00:00Z',
	]);
	expect(dataOf(result)).toEqual(refill);
	expect(seen.map(({headers}) => headers['authorization'])).toEqual([`Bearer ${goodKey}`]);
});

test('unset values are shown as not set', async () => {
	const bare = {
		enabled: false,
		has_payment_method: false,
		month_count: 0,
		monthly_cap: null,
		month_reset: null,
		quantity: null,
		threshold: null,
		extra: [1],
	};
	const {env} = await api({[`GET ${inOrg}/credits/auto-refill`]: {json: bare}});
	const result = await testContext({env}).run('credits', 'show');
	expect(drawn(result, 80)).toContain('refills below       not set');
	expect(drawn(result, 80)).toContain('refills this month  0 refills, no cap');
	expect(dataOf(result)).toEqual(bare);
});

test.each([{}, {detail: 'gone'}])('%j is not a valid response about credits', async bare => {
	const {env, origin} = await api({[`GET ${inOrg}/credits/auto-refill`]: {bare}});
	await expect(testContext({env}).run('credits', 'show')).rejects.toMatchObject({
		code: 'network',
		message: `${origin} returned a response without enabled, has_payment_method, month_count, month_reset, monthly_cap, and 2 more.`,
	});
});

test('one refill is written in the singular', async () => {
	const {env} = await api({[`GET ${inOrg}/credits/auto-refill`]: {json: {month_count: 1}}});
	expect(drawn(await testContext({env}).run('credits', 'show'), 80)).toContain(
		'refills this month  1 refill, no cap\n',
	);
});

test('a limit is removed after confirmation and a deprecation notice', async () => {
	const {env, seen} = await api({[`DELETE ${inOrg}/credits/member-limits/${member}`]: {status: 204}});
	const refused = testContext({env, answers: [undefined]});
	expect(drawn(await refused.run('credits', 'unlimit', member), 80)).toBe('Nothing changed.');
	expect(seen).toEqual([]);

	const {run, said, asked} = testContext({env, answers: ['yes']});
	expect(dataOf(await run('credits', 'unlimit', member))).toEqual({user_id: member, limited: false});
	expect(said).toEqual(['This operation is deprecated; the server may drop it.']);
	expect(asked).toEqual([`Let ${member} use credits of acme without a monthly limit?`]);
	expect(seen).toHaveLength(1);
});

test.each([
	[{env: {}}, ['credits', 'show'], {code: 'auth', message: 'You are not logged in.'}],
	[
		{flags: {org: ''}},
		['credits', 'unlimit', 'me', '--yes'],
		{code: 'usage', message: /^<user> must be a UUID, or the first four/},
	],
	[
		{answers: ['yes']},
		['credits', 'unlimit', `${member}0`],
		{code: 'usage', message: /^<user> must be a UUID, or the first four/},
	],
] as const)('%j: %j is refused before anything is asked or sent', async (options, words, error) => {
	const {env, seen} = await api({});
	const {run, asked, said} = testContext({env, ...options});
	await expect(run(...words)).rejects.toMatchObject({
		...error,
		message: expect.stringMatching(error.message),
	});
	expect([seen, asked, said]).toEqual([[], [], []]);
});

test('a missing organization is an error that says how to select one', async () => {
	const {env} = await api({});
	await expect(testContext({env: {...env, SERVICE_ORG: ''}}).run('credits', 'show')).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(/^No organization selected/),
		hint: 'Add --org <slug>, or set SERVICE_ORG.',
	});
});
