import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {dayBudget, saveSettings} from '../src/config/settings/saved-settings.ts';
import {AppError} from '../src/core/error.ts';
import {type BudgetKind, budgetKinds} from '../src/core/ledger/budget.ts';
import {parseUsd} from '../src/core/ledger/parse-usd.ts';

export default command({
	name: 'budget',
	summary: 'Limit what a message, the session or a day may cost',
	args: z.object({what: z.optional(z.string()), usd: z.optional(z.string())}),
	positional: ['what', 'usd'],
	describe: {
		what: 'an amount for the session; turn (one message), session or day before another one; or off',
		usd: 'the amount in US dollars, or off',
	},
	suggests: {what: [...budgetKinds, 'off'], usd: ['1', '5', '20', 'off']},
	examples: ['budget day 20', 'budget off', 'budget --json'],
	whileRunning: true,

	async run({what, usd}, context) {
		if (what !== undefined) {
			await change(what, usd, context);
		}

		const {budgetsResult} = await import('../src/command/views/usage/budget-view.ts');
		return budgetsResult(context);
	},
});

/** Sets or removes budgets. Throws AppError("usage") for anything else. */
async function change(what: string, usd: string | undefined, context: CommandContext): Promise<void> {
	const kind = budgetKinds.find(each => each === what.toLowerCase());
	if (!kind && usd !== undefined && usd.toLowerCase() !== 'usd') {
		throw new AppError('usage', `Unknown budget “${what}”.`, {
			hint: `Choose one of ${budgetKinds.join(', ')}, or off.`,
		});
	}

	if (kind && usd === undefined) {
		throw new AppError('usage', 'The amount is missing.', {hint: `Add it: \`budget ${kind} 5\``});
	}

	const amount = (kind ? usd : what) ?? '';
	const isOff = amount.toLowerCase() === 'off';
	const limitUsd = isOff ? undefined : parseUsd(amount);
	const kinds: readonly BudgetKind[] = kind ? [kind] : isOff ? budgetKinds : ['session'];
	const {
		ui: {live},
		program: {
			store,
			local: {config},
		},
	} = context;
	if (!live && kinds.some(each => each !== 'day') && !isOff) {
		throw new AppError('usage', 'Only the app has a session.', {
			hint: 'Limit the day: `budget day 5`. Limit one answer: `$ -p "prompt" --budget 5`',
		});
	}

	if (kinds.includes('day') && dayBudget(config.read()) !== limitUsd) {
		await saveSettings(config, {budgetDayUsd: limitUsd});
	}

	const {budgets} = store.getState().transcript;
	const changed = Object.fromEntries(kinds.filter(each => each !== 'day').map(each => [each, limitUsd]));
	if (live && Object.keys(changed).length > 0) {
		live.setBudgets({...budgets, ...changed});
	}
}
