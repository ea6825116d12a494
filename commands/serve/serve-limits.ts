import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import type {Result} from '../../src/command/result.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';
import {formatDuration, formatNumber} from '../../src/core/format.ts';

const seconds = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(31_536_000)));

export default command({
	name: 'limits',
	summary: 'Show and change the sandbox limits of an organization',
	args: z.object({
		...{
			max: seconds,
			default: seconds,
			capacity: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(10_000))),
		},
		...place,
	}),
	describe: {
		max: 'longest run of a sandbox in seconds, 0 for the platform limit',
		default: 'run in seconds if no time is requested, 0 for the platform default',
		capacity: 'maximum sandboxes at once, 0 for the platform limit',
		...describePlace,
	},
	examples: ['serve limits', 'serve limits --org acme --max 7200 --default 1800 --capacity 4'],
	where: 'shell',

	async run(
		{data, database, ...change},
		{
			program: {
				local: {env},
			},
			flags,
		},
	): Promise<Result> {
		const {changeLimitsOf, organizationOf} = await import('../../src/server/run/serve.ts');
		const organization = await organizationOf({env, data, database}, flags.org);
		const state = await changeLimitsOf({env, data, database}, {organization, ...change});
		const {effective} = state;
		const from = (own: number | null) => (own === null ? ' (platform)' : '');
		return {
			kind: 'record',
			title: `Sandbox limits of ${organization}`,
			fields: [
				['longest run', `${formatDuration(effective.max_seconds * 1000)}${from(state.max_seconds)}`],
				['default run', `${formatDuration(effective.default_seconds * 1000)}${from(state.default_seconds)}`],
				['at once', `${formatNumber(effective.capacity)}${from(state.capacity)}`],
			],
			data: state,
		};
	},
});
