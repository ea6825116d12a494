import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'day',
	summary: 'Show what all sessions used in a day, by model',
	args: z.object({date: z.optional(z.string())}),
	positional: ['date'],
	describe: {date: 'as YYYY-MM-DD, today or yesterday; today by default'},
	suggests: {date: ['today', 'yesterday']},
	examples: ['usage day --json', 'usage day yesterday', 'usage day 2026-11-22'],
	whileRunning: true,

	async run(
		{date},
		{
			program: {
				session: {saved: sessions},
				models,
			},
		},
	) {
		const {periodOf, periodResult} = await import('../../src/command/views/usage/period-view.ts');
		const period = periodOf('day', date, Date.now());
		if (!period) {
			throw new AppError('usage', `Invalid day “${date}”.`, {hint: 'Write it as YYYY-MM-DD, today or yesterday.'});
		}

		const {priceOf} = await models.catalog();
		return periodResult(period, await sessions.ledger(period), priceOf);
	},
});
