import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';
import type {Transcript} from '../src/core/session/transcript.ts';

/** Returns the session on screen, or the one that is named, else the latest one here. Throws what `findOrLatest` throws. */
async function sessionTranscript(
	session: string | undefined,
	{ui: {live}, program}: CommandContext,
): Promise<Transcript> {
	return live && !session
		? program.store.getState().transcript
		: (await program.session.saved.read(await program.session.saved.findOrLatest(session))).transcript;
}

const show = command({
	name: 'show',
	summary: 'Show what the session used and cost, by model',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage', 'usage --json'],
	whileRunning: true,

	async run({session}, context) {
		const {usageResult} = await import('../src/command/views/usage-view.ts');
		const {priceOf, date} = await context.program.models.catalog();
		return usageResult(await sessionTranscript(session, context), priceOf, date);
	},
});

const why = command({
	name: 'why',
	summary: 'Explain the last jump in cost, such as a lost cache',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage why'],
	whileRunning: true,

	async run({session}, context) {
		const {jumpResult} = await import('../src/command/views/usage/jump-view.ts');
		const {unpricedModels} = await import('../src/command/views/usage/unknown-price.ts');
		const {lastJump} = await import('../src/core/ledger/cost-jump.ts');
		const {priceOf} = await context.program.models.catalog();
		const requests = [...(await sessionTranscript(session, context)).usage.values()];
		return jumpResult(lastJump(requests, priceOf), requests.length, {
			isInApp: context.ui.live !== undefined,
			unpriced: unpricedModels(requests, priceOf),
		});
	},
});

const requests = command({
	name: 'requests',
	summary: 'List the requests with their tokens, cause and cost',
	args: z.object({session: z.optional(z.string())}),
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['usage requests', 'usage requests --json'],
	whileRunning: true,

	async run({session}, context) {
		const {requestTable} = await import('../src/command/views/usage/request-table.ts');
		const {priceOf} = await context.program.models.catalog();
		return requestTable((await sessionTranscript(session, context)).usage, priceOf);
	},
});

const day = command({
	name: 'day',
	summary: 'Show what all sessions used in a day, by model',
	args: z.object({date: z.optional(z.string())}),
	positional: ['date'],
	describe: {date: 'as YYYY-MM-DD, today or yesterday; today by default'},
	suggests: {date: ['today', 'yesterday']},
	examples: ['usage day --json', 'usage day yesterday', 'usage day 2026-11-22'],
	whileRunning: true,

	async run({date}, {program}) {
		const {periodOf, periodResult} = await import('../src/command/views/usage/period-view.ts');
		const period = periodOf('day', date, Date.now());
		if (!period) {
			throw new AppError('usage', `Invalid day “${date}”.`, {hint: 'Write it as YYYY-MM-DD, today or yesterday.'});
		}

		const {priceOf} = await program.models.catalog();
		return periodResult(period, await program.session.saved.ledger(period), priceOf);
	},
});

const month = command({
	name: 'month',
	summary: 'Show what all sessions used in a month, by day',
	args: z.object({month: z.optional(z.string())}),
	positional: ['month'],
	describe: {month: 'as YYYY-MM, this or last; this month by default'},
	suggests: {month: ['this', 'last']},
	examples: ['usage month --json', 'usage month last', 'usage month 2026-11'],
	whileRunning: true,

	async run({month}, {program}) {
		const {periodOf, periodResult} = await import('../src/command/views/usage/period-view.ts');
		const period = periodOf('month', month, Date.now());
		if (!period) {
			throw new AppError('usage', `Invalid month “${month}”.`, {hint: 'Write it as YYYY-MM, this or last.'});
		}

		const {priceOf} = await program.models.catalog();
		return periodResult(period, await program.session.saved.ledger(period), priceOf);
	},
});

export default noun({
	name: 'usage',
	aliases: ['cost'],
	summary: 'Tokens and costs of the session, a day or a month',
	verbs: [show, why, requests, day, month],
	fallback: 'show',
});
