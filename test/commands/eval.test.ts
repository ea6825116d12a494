import {expect, test} from 'vitest';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const stats = {
	evaluation_id: 'nightly-42',
	error_spans: 3,
	root_spans: 1,
	total_items: 50,
	total_spans: 1234,
	traced_items: 40,
	untraced_items: 10,
	span_types: ['agent', 'tool', 'model'],
	total_duration_s: 754.2,
};

async function shown(json: unknown) {
	const {env} = await api({[`GET ${inWorkspace}/evaluation/nightly-42/traces`]: {json}});
	return testContext({env}).run('eval', 'stats', 'nightly-42');
}

test.each([80, 120])('evaluation statistics are drawn at %d columns', async width => {
	const result = await shown(stats);
	expect(drawn(result, width).split('\n')).toEqual([
		'evaluation      nightly-42',
		'coverage        ████████████████░░░░ 80%',
		'items           50 (40 traced, 10 not)',
		'spans           1,234 (1 root, 3 failed)',
		'types of spans  agent, tool, model',
		'duration        12 m 34 s',
	]);
	expect(dataOf(result)).toEqual(stats);
});

test.each([
	[0, 1000, `${'░'.repeat(20)} 0%`],
	[1, 1000, `█${'░'.repeat(19)} 1%`],
	[999, 1000, `${'█'.repeat(19)}░ 99%`],
	[1000, 1000, `${'█'.repeat(20)} 100%`],
	[0, 0, 'no items'],
	[5, 0, "the counts don't add up"],
	[5, 4, "the counts don't add up"],
	[-1, 4, "the counts don't add up"],
])('%d of %d items traced: %s', async (traced_items, total_items, bar) => {
	expect(drawn(await shown({traced_items, total_items}), 80)).toMatch(new RegExp(`^coverage +${bar}$`, 'm'));
});

test('missing counts are 0, as the specification says', async () => {
	const result = await shown({evaluation_id: 'e\u001B]0;x\u0007'});
	expect(drawn(result, 80).split('\n')).toEqual([
		'evaluation      e␛]0;x␇',
		'coverage        no items',
		'items           0 (0 traced, 0 not)',
		'spans           0 (0 roots, 0 failed)',
		'types of spans  none',
		'duration        0 ms',
	]);
});

test('an unknown evaluation is not found, and an empty name is refused', async () => {
	const {env, seen} = await api({});
	const {run} = testContext({env});
	await expect(run('eval', 'stats', 'other')).rejects.toMatchObject({code: 'not-found'});
	await expect(run('eval', 'stats')).rejects.toMatchObject({code: 'usage', message: 'eval stats needs <evaluation>.'});
	expect(seen).toHaveLength(1);
});
