import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'month',
	summary: 'Show what all sessions used in a month, by day',
	args: z.object({month: z.optional(z.string())}),
	positional: ['month'],
	describe: {month: 'as YYYY-MM, this or last; this month by default'},
	suggests: {month: ['this', 'last']},
	examples: ['usage month --json', 'usage month last', 'usage month 2026-11'],
	whileRunning: true,

	async run(
		{month},
		{
			program: {
				session: {saved: sessions},
				models,
			},
		},
	) {
		const {periodOf, periodResult} = await import('../../src/command/views/usage/period-view.ts');
		const period = periodOf('month', month, Date.now());
		if (!period) {
			throw new AppError('usage', `Invalid month “${month}”.`, {hint: 'Write it as YYYY-MM, this or last.'});
		}

		const {priceOf} = await models.catalog();
		return periodResult(period, await sessions.ledger(period), priceOf);
	},
});
