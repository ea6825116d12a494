import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';
import {AppError} from '../../src/core/error.ts';
import {formatNumber} from '../../src/core/format.ts';

const amount = z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(1_000_000_000)));

export default command({
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
		cap: 'maximum refills a month',
		member: 'e-mail address of a member, to show limit and usage',
		limit: 'with --member: maximum credits a month, 0 for no limit',
		...describePlace,
	},
	examples: [
		'serve credits',
		'serve credits --grant 5000 --refill 1000 --threshold 500 --cap 3',
		'serve credits --member ada@acme.example --limit 200',
	],
	where: 'shell',

	async run(
		{data, database, ...change},
		{
			program: {
				local: {env},
			},
			flags,
		},
	) {
		if (change.limit !== undefined && change.member === undefined) {
			throw new AppError('usage', '--limit needs --member.', {hint: 'Name the member with --member <email>.'});
		}

		const {changeCreditsOf, organizationOf} = await import('../../src/server/run/serve.ts');
		const organization = await organizationOf({env, data, database}, flags.org);
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
