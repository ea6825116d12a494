import type {Queries} from '../database/tables.ts';
import {monthOf} from './month.ts';
import {refill} from './refill.ts';

type Member = {readonly organizationId: string; readonly userId: string; readonly now: Date};

/**
 * Returns the most credits that a member could be charged now, including what the auto-refill would buy; null for no
 * limit.
 */
export async function remainingCredits(
	queries: Queries,
	{organizationId, userId, now}: Member,
): Promise<number | null> {
	const account = await queries
		.selectFrom('credit_accounts')
		.selectAll()
		.where('organization_id', '=', organizationId)
		.executeTakeFirst();
	const member = await queries
		.selectFrom('member_credits')
		.select(['monthly_limit', 'month_used', 'month'])
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.executeTakeFirst();
	const used = member && member.month >= monthOf(now) ? member.month_used : 0;
	const byLimit = member?.monthly_limit != null ? Math.max(0, member.monthly_limit - used) : Number.POSITIVE_INFINITY;
	const byBalance = account ? balanceAfterRefills(account, now) : Number.POSITIVE_INFINITY;
	const remaining = Math.min(byLimit, byBalance);
	return Number.isFinite(remaining) ? remaining : null;
}

/** Returns the balance after all allowed refills. */
function balanceAfterRefills(account: Parameters<typeof refill>[0], now: Date): number {
	// A threshold that is never reached, so that only the cap limits the refills.
	const threshold = account.threshold === null ? null : Number.POSITIVE_INFINITY;
	return refill({...account, threshold}, 0, now).balance;
}
