import * as z from 'zod/mini';
import {AppError} from '../error.ts';
import {formatUsd} from '../format.ts';

/** What a budget is for: the answer to one message, a session, or all sessions of a day. */
export const budgetKinds = ['turn', 'session', 'day'] as const;
export type BudgetKind = (typeof budgetKinds)[number];

/** The budgets of a session, in US dollars. The budget of a day is a setting. */
export const budgetEvent = z.object({
	type: z.literal('budget'),
	turn: z.optional(z.number()),
	session: z.optional(z.number()),
});
export type Budgets = Readonly<Omit<z.infer<typeof budgetEvent>, 'type'>>;

const [minUsd, maxUsd] = [0.0001, 1_000_000];

/** Parses an amount in US dollars as typed: `5`, `$5`, `0.50` or `5 USD`. Throws AppError("usage") for any other. */
export function parseUsd(text: string): number {
	const [, digits] =
		/^(?:US)?\$?\s*(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})\s*(?:\$|USD|dollars?)?$/i.exec(text.trim()) ?? [];
	const usd = Number(digits);
	if (digits === undefined) {
		throw new AppError('usage', `Invalid amount “${text}”.`, {
			hint: 'A budget is an amount above 0 in US dollars, such as 5 or 0.50.',
		});
	}

	if (usd < minUsd) {
		throw new AppError('usage', `A budget of “${text}” is too small: nothing could be sent.`, {
			hint: `Use ${formatUsd(minUsd)} or more, or remove the budget: \`budget off\``,
		});
	}

	if (usd > maxUsd) {
		throw new AppError('usage', `A budget of “${text}” is too large.`, {hint: 'Use at most 1000000 dollars.'});
	}

	return usd;
}

/** The share of a budget at which the user is warned. */
export const warningShare = 0.8;

/** What was spent of a budget. */
export type BudgetState = {readonly kind: BudgetKind; readonly limitUsd: number; readonly spentUsd: number};

/** Returns the name of a budget in a sentence. */
export function budgetName(kind: BudgetKind): string {
	return kind === 'turn' ? 'budget for one message' : kind === 'day' ? 'budget for today' : 'session budget';
}
