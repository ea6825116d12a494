import type {Selectable} from 'kysely';
import type {Tables} from '../database/tables.ts';
import {nextMonth} from './month.ts';

/** An organization's credits and its auto-refill. */
export type CreditAccount = Selectable<Tables['credit_accounts']>;

type Refilled = Pick<CreditAccount, 'balance' | 'month_count' | 'month_reset'> & {
	/** Credits that were bought. */
	readonly bought: number;
};

/**
 * Returns an account after `amount` credits are used. If less than `threshold` is left, it buys `quantity` as often as
 * needed, at most `monthly_cap` times a month (UTC). The balance is negative if that is not enough.
 */
export function refill(account: CreditAccount, amount: number, now: Date): Refilled {
	const isNewMonth = account.month_reset === null || account.month_reset <= now.toISOString();
	const month_count = isNewMonth ? 0 : account.month_count;
	const month_reset = isNewMonth ? nextMonth(now).toISOString() : account.month_reset;
	const left = account.balance - amount;
	const quantity = account.quantity ?? 0;
	const isReady = account.refill_enabled === 1 && account.has_payment_method === 1 && quantity > 0;
	const missing = isReady && account.threshold !== null ? account.threshold - left : 0;
	const allowed = Math.max(0, (account.monthly_cap ?? Number.POSITIVE_INFINITY) - month_count);
	const times = missing > 0 ? Math.min(Math.ceil(missing / quantity), allowed) : 0;
	const bought = times * quantity;
	return {balance: left + bought, month_count: month_count + times, month_reset, bought};
}
