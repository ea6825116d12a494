import {randomUUID} from 'node:crypto';
import {sql} from 'kysely';
import type {DatabaseTransaction} from '../database/tables.ts';
import {monthOf} from './month.ts';
import {refill} from './refill.ts';

type Charge = {
	readonly organizationId: string;
	readonly userId: string;
	/** Whole credits, 0 or more. */
	readonly amount: number;
	/** The reason shown in the list of entries. */
	readonly reason: string;
	readonly now: Date;
};

/** Why a charge was rejected; the values of a runtime's `pause_reason`. */
export type ChargeRejection = 'insufficient_credits' | 'member_limit_exceeded';

export type Charged = {readonly ok: true} | {readonly ok: false; readonly reason: ChargeRejection};

/**
 * Charges an organization for what a member used, all or nothing. The auto-refill buys what it may, but nothing for a
 * rejected charge. An organization without an account isn't billed, but its members' limits still apply. Concurrent
 * charges never overdraw a balance or a limit: each locks the rows of the account and the member until its transaction
 * ends.
 */
export async function chargeCredits(transaction: DatabaseTransaction, charge: Charge): Promise<Charged> {
	const charged = await takeCredits(transaction, charge);
	if (charged.ok && charge.amount > 0) {
		await recordEntries(transaction, [{...charge, amount: -charge.amount}]);
	}

	return charged;
}

/** Charges as `chargeCredits` does, for several reasons together: the caller records an entry for each. */
export async function takeCredits(transaction: DatabaseTransaction, charge: Omit<Charge, 'reason'>): Promise<Charged> {
	const {organizationId, userId, amount, now} = charge;
	if (!Number.isSafeInteger(amount) || amount < 0) {
		throw new RangeError(`${amount} credits cannot be charged.`);
	}

	if (amount === 0) {
		return {ok: true};
	}

	// An update without changes locks the row on both engines and returns its current values.
	const account = await transaction
		.updateTable('credit_accounts')
		.set({balance: sql<number>`balance`})
		.where('organization_id', '=', organizationId)
		.returningAll()
		.executeTakeFirst();
	const member = await lockMember(transaction, charge);
	if (member.monthly_limit !== null && member.month_used + amount > member.monthly_limit) {
		return {ok: false, reason: 'member_limit_exceeded'};
	}

	if (account) {
		const {bought, ...values} = refill(account, amount, now);
		if (values.balance < 0) {
			return {ok: false, reason: 'insufficient_credits'};
		}

		await transaction
			.updateTable('credit_accounts')
			.set(values)
			.where('organization_id', '=', organizationId)
			.execute();
		if (bought > 0) {
			await recordEntries(transaction, [{...charge, userId: null, amount: bought, reason: 'auto-refill'}]);
		}
	}

	await transaction
		.updateTable('member_credits')
		.set({month_used: member.month_used + amount})
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.execute();
	return {ok: true};
}

/**
 * Returns credits that were charged at `chargedAt` for something that wasn't delivered, also to the member's month. The
 * caller makes sure that it happens once. What the auto-refill bought stays.
 */
export async function refundCredits(
	transaction: DatabaseTransaction,
	refund: Charge & {readonly chargedAt: Date},
): Promise<void> {
	const {organizationId, userId, amount, chargedAt} = refund;
	if (!Number.isSafeInteger(amount) || amount < 0) {
		throw new RangeError(`${amount} credits cannot be refunded.`);
	}

	if (amount === 0) {
		return;
	}

	await transaction
		.updateTable('credit_accounts')
		.set({balance: sql<number>`balance + ${amount}`})
		.where('organization_id', '=', organizationId)
		.execute();
	await transaction
		.updateTable('member_credits')
		.set({month_used: sql<number>`case when month_used < ${amount} then 0 else month_used - ${amount} end`})
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.where('month', '=', monthOf(chargedAt))
		.execute();
	await recordEntries(transaction, [refund]);
}

/**
 * Locks and returns the member's month, reset to 0 if a new month has begun. A clock that is behind doesn't restore the
 * last month.
 */
async function lockMember(transaction: DatabaseTransaction, {organizationId, userId, now}: Omit<Charge, 'reason'>) {
	const month = monthOf(now);
	return await transaction
		.insertInto('member_credits')
		.values({organization_id: organizationId, user_id: userId, monthly_limit: null, month_used: 0, month})
		.onConflict(conflict =>
			conflict.columns(['organization_id', 'user_id']).doUpdateSet({
				month_used: sql<number>`case when member_credits.month < excluded.month then 0 else member_credits.month_used end`,
				month: sql<string>`case when member_credits.month < excluded.month then excluded.month else member_credits.month end`,
			}),
		)
		.returning(['monthly_limit', 'month_used'])
		.executeTakeFirstOrThrow();
}

type Entry = Omit<Charge, 'userId'> & {readonly userId: string | null};

/** Records changes of a balance, at least one. */
export async function recordEntries(transaction: DatabaseTransaction, entries: readonly Entry[]): Promise<void> {
	const rows = entries.map(({organizationId, userId, amount, reason, now}) => ({
		id: randomUUID(),
		organization_id: organizationId,
		user_id: userId,
		amount,
		reason,
		created_at: now.toISOString(),
	}));
	await transaction.insertInto('credit_entries').values(rows).execute();
}
