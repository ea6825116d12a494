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
	/** What for, as the list of entries says it. */
	readonly reason: string;
	readonly now: Date;
};

/** Why a charge was refused; the words are those of a runtime's `pause_reason`. */
export type ChargeRefusal = 'insufficient_credits' | 'member_limit_exceeded';

export type Charged = {readonly ok: true} | {readonly ok: false; readonly reason: ChargeRefusal};

/**
 * Charges an organization for what a member used, all of it or nothing; the auto-refill buys what it may. An organization
 * without an account is not billed, but what its members use counts against their limits all the same. Nothing is bought
 * for a charge that is refused. However many charge at once, no balance gets below 0 and no limit is passed: each holds
 * the rows of the account and the member until its transaction ends.
 */
export async function chargeCredits(transaction: DatabaseTransaction, charge: Charge): Promise<Charged> {
	const {organizationId, userId, amount, reason, now} = charge;
	if (!Number.isSafeInteger(amount) || amount < 0) {
		throw new RangeError(`${amount} credits cannot be charged.`);
	}

	if (amount === 0) {
		return {ok: true};
	}

	// An update that changes nothing: both engines hold the row from here on, and give what is really in it.
	const account = await transaction
		.updateTable('credit_accounts')
		.set({balance: sql<number>`balance`})
		.where('organization_id', '=', organizationId)
		.returningAll()
		.executeTakeFirst();
	const member = await holdMember(transaction, charge);
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
			await enter(transaction, {...charge, userId: null, amount: bought, reason: 'auto-refill'});
		}
	}

	await transaction
		.updateTable('member_credits')
		.set({month_used: member.month_used + amount})
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.execute();
	await enter(transaction, {...charge, amount: -amount, reason});
	return {ok: true};
}

/** The member's month, from 0 where a new one has begun. A clock that is behind does not bring the last one back. */
async function holdMember(transaction: DatabaseTransaction, {organizationId, userId, now}: Charge) {
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

/** Writes down what changed a balance. */
export async function enter(transaction: DatabaseTransaction, entry: Entry): Promise<void> {
	await transaction
		.insertInto('credit_entries')
		.values({
			id: randomUUID(),
			organization_id: entry.organizationId,
			user_id: entry.userId,
			amount: entry.amount,
			reason: entry.reason,
			created_at: entry.now.toISOString(),
		})
		.execute();
}
