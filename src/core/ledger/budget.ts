import * as z from 'zod/mini';

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

/** The share of a budget at which the user is warned. */
export const warningShare = 0.8;

/** What was spent of a budget. */
export type BudgetState = {readonly kind: BudgetKind; readonly limitUsd: number; readonly spentUsd: number};

/** Returns the name of a budget in a sentence. */
export function budgetName(kind: BudgetKind): string {
	return kind === 'turn' ? 'budget for one message' : kind === 'day' ? 'budget for today' : 'session budget';
}
