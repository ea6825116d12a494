import {type ChargeRejection, chargeCredits} from '../credits/charge.ts';
import {remainingCredits} from '../credits/remaining-credits.ts';
import type {DatabaseTransaction} from '../database/tables.ts';

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
