import fc from 'fast-check';
import {expect, test} from 'vitest';
import {limitTime} from '../../../src/server/sandboxes/capacity.ts';

const platform = {platformMax: 1000, platformDefault: 100};
const nothing = {organizationMax: null, organizationDefault: null, requested: null};

test.each([
	['the platform’s default', {}, 100, [1000, 'l1_platform_max'], [100, 'l1_platform_default']],
	['the organization’s default', {organizationDefault: 200}, 200, [1000, 'l1_platform_max'], [200, 'l3_org_default']],
	[
		'what was asked for',
		{organizationDefault: 200, requested: 300},
		300,
		[1000, 'l1_platform_max'],
		[300, 'l4_requested'],
	],
	['the organization’s maximum', {organizationMax: 50, requested: 300}, 50, [50, 'l2_org_max'], [300, 'l4_requested']],
	[
		'the platform’s maximum',
		{organizationMax: 5000, requested: 3000},
		1000,
		[1000, 'l1_platform_max'],
		[3000, 'l4_requested'],
	],
	['a default above the maximum', {organizationMax: 50}, 50, [50, 'l2_org_max'], [100, 'l1_platform_default']],
] as const)('%s counts', (_, levels, actual, [maximum, maximumLevel], [wish, wishLevel]) => {
	expect(limitTime({...platform, ...nothing, ...levels})).toEqual({
		actual,
		configured: {seconds: maximum, level: maximumLevel},
		requested: {seconds: wish, level: wishLevel},
	});
});

test('no level exceeds the maximum of a level above it', () => {
	const level = fc.option(fc.integer({min: 1, max: 2000}));
	fc.assert(
		fc.property(level, level, level, (organizationMax, organizationDefault, requested) => {
			const {actual} = limitTime({...platform, organizationMax, organizationDefault, requested});
			expect(actual).toBeLessThanOrEqual(Math.min(1000, organizationMax ?? 1000, requested ?? 1000));
		}),
	);
});
