import type {Queries} from '../database/tables.ts';
import {monthOf} from './month.ts';
import {refill} from './refill.ts';

type Asked = {readonly organizationId: string; readonly userId: string; readonly now: Date};

/** The most credits that a member could be charged now, what the auto-refill would buy included; null for no bound. */
export async function creditsLeft(queries: Queries, {organizationId, userId, now}: Asked): Promise<number | null> {
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
	const byBalance = account ? refillable(account, now) : Number.POSITIVE_INFINITY;
	const least = Math.min(byLimit, byBalance);
	return Number.isFinite(least) ? least : null;
}

/** What an account holds once it has bought all that it may. */
function refillable(account: Parameters<typeof refill>[0], now: Date): number {
	// Nothing reaches this threshold, so that the cap alone ends the buying.
	const threshold = account.threshold === null ? null : Number.POSITIVE_INFINITY;
	return refill({...account, threshold}, 0, now).balance;
}
