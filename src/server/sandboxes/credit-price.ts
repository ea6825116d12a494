import {type ChargeRejection, chargeCredits} from '../credits/charge.ts';
import {monthOf} from '../credits/month.ts';
import {refill} from '../credits/refill.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';

/** Returns the total cost of a run in whole credits, rounded up. */
export function creditsFor(seconds: number, creditsPerHour: number): number {
	return Math.ceil((seconds * creditsPerHour) / 3600);
}

/** Returns how long credits last. */
export function secondsFor(credits: number, creditsPerHour: number): number {
	return creditsPerHour === 0 ? Number.POSITIVE_INFINITY : Math.floor((credits * 3600) / creditsPerHour);
}

type Use = Parameters<typeof chargeCredits>[1];

/** Charges for past usage as far as the credits suffice. Returns the charged amount, and what was lacking. */
export async function chargeUsed(
	transaction: DatabaseTransaction,
	use: Use,
): Promise<{readonly charged: number; readonly shortage?: ChargeRejection}> {
	const all = await chargeCredits(transaction, use);
	if (all.ok) {
		return {charged: use.amount};
	}

	const charged = Math.min(use.amount, (await remainingCredits(transaction, use)) ?? use.amount);
	await chargeCredits(transaction, {...use, amount: charged});
	return {charged, shortage: all.reason};
}

/** Returns the most that could be charged now and what limits it; undefined if nothing does. */
export async function findLimit(
	transaction: DatabaseTransaction,
	use: Omit<Use, 'amount'>,
): Promise<{readonly credits: number; readonly shortage: ChargeRejection} | undefined> {
	const credits = await remainingCredits(transaction, use);
	// A charge of one more is rejected as a whole, which shows the reason.
	const more = credits === null ? undefined : await chargeCredits(transaction, {...use, amount: credits + 1});
	return credits === null || !more || more.ok ? undefined : {credits, shortage: more.reason};
}

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
