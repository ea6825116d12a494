import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {formatDuration, formatNumber} from '../../core/format.ts';
import {command} from '../command.ts';
import type {Result} from '../result.ts';
import {describePlace, firstOrganization, place} from './serve-place.ts';

const amount = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(1_000_000_000)));

/** `serve credits`: what an organization and its members may spend. */
export const credits = command({
	name: 'credits',
	summary: 'Show and change the credits of an organization',
	args: z.object({
		...{grant: amount, refill: amount, threshold: amount, cap: amount, limit: amount},
		member: z.optional(z.string()),
		...place,
	}),
	describe: {
		grant: 'credits to add; the first grant starts billing',
		refill: 'credits that a refill buys, 0 for none',
		threshold: 'balance below which a refill is bought',
		cap: 'most refills in a month',
		member: 'e-mail address of a member, to show limit and usage',
		limit: 'with --member: most credits a month, 0 for no limit',
		...describePlace,
	},
	examples: [
		'serve credits',
		'serve credits --grant 5000 --refill 1000 --threshold 500 --cap 3',
		'serve credits --member ada@acme.example --limit 200',
	],
	where: 'shell',

	async run({data, database, ...change}, {env, flags}) {
		if (change.limit !== undefined && change.member === undefined) {
			throw new AppError('usage', '--limit needs --member.', {hint: 'Name the member with --member <email>.'});
		}

		const {changeCreditsOf} = await import('../../server/run/serve.ts');
		const organization = flags.org ?? firstOrganization;
		const state = await changeCreditsOf({env, data, database}, {organization, ...change});
		const {member, ...account} = state;
		const shown = (value: number | null) => (value === null ? 'none' : formatNumber(value));
		return {
			kind: 'record',
			title: `Credits of ${organization}`,
			fields: [
				...Object.entries(account).map(([name, value]) => [name, shown(value)] as const),
				...(member
					? ([
							['member', member.email],
							['monthly limit', shown(member.monthly_limit)],
							['used this month', formatNumber(member.month_used)],
						] as const)
					: []),
			],
			data: state,
		};
	},
});

const seconds = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(31_536_000)));

/** `serve limits`: how long the sandboxes of an organization may run, and how many at once. */
export const limits = command({
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
		capacity: 'most sandboxes at once, 0 for the platform limit',
		...describePlace,
	},
	examples: ['serve limits', 'serve limits --org acme --max 7200 --default 1800 --capacity 4'],
	where: 'shell',

	async run({data, database, ...change}, {env, flags}): Promise<Result> {
		const {changeLimitsOf} = await import('../../server/run/serve.ts');
		const organization = flags.org ?? firstOrganization;
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
