import {sql} from 'kysely';
import type {DatabaseTransaction} from '../database/tables.ts';
import {recordEntries} from './charge.ts';
import {monthOf} from './month.ts';
import type {CreditAccount} from './refill.ts';

type Grant = {
	readonly organizationId: string;
	/** Whole credits, more than 0. */
	readonly amount: number;
	readonly reason: string;
	readonly now: Date;
};

/** Grants credits to an organization. The first grant opens its account: from then on its usage is billed. */
export async function grantCredits(transaction: DatabaseTransaction, grant: Grant): Promise<void> {
	const {organizationId, amount} = grant;
	if (!Number.isSafeInteger(amount) || amount <= 0) {
		throw new RangeError(`${amount} credits cannot be given.`);
	}

	await transaction
		.insertInto('credit_accounts')
		.values({...newAccount(organizationId), balance: amount})
		.onConflict(conflict =>
			conflict.column('organization_id').doUpdateSet({
				balance: sql<number>`credit_accounts.balance + excluded.balance`,
			}),
		)
		.execute();
	await recordEntries(transaction, [{...grant, userId: null}]);
}

type Refill = Pick<
	CreditAccount,
	'refill_enabled' | 'has_payment_method' | 'monthly_cap' | 'quantity' | 'threshold' | 'organization_id'
>;

/** Configures the auto-refill; it takes effect with the next charge. */
export async function setAutoRefill(transaction: DatabaseTransaction, refill: Refill): Promise<void> {
	const {organization_id, ...values} = refill;
	await transaction
		.insertInto('credit_accounts')
		.values({...newAccount(organization_id), ...values})
		.onConflict(conflict => conflict.column('organization_id').doUpdateSet(values))
		.execute();
}

type Limit = {
	readonly organizationId: string;
	readonly userId: string;
	/** Whole credits a month; null for no limit. */
	readonly limit: number | null;
	readonly now: Date;
};

/** Sets what a member may use each month (UTC). What they have used this month still counts. */
export async function setMemberLimit(transaction: DatabaseTransaction, limit: Limit): Promise<void> {
	await transaction
		.insertInto('member_credits')
		.values({
			organization_id: limit.organizationId,
			user_id: limit.userId,
			monthly_limit: limit.limit,
			month_used: 0,
			month: monthOf(limit.now),
		})
		.onConflict(conflict => conflict.columns(['organization_id', 'user_id']).doUpdateSet({monthly_limit: limit.limit}))
		.execute();
}

/** Returns the initial state of an account. */
export function newAccount(organizationId: string): CreditAccount {
	return {
		organization_id: organizationId,
		balance: 0,
		refill_enabled: 0,
		has_payment_method: 0,
		month_count: 0,
		month_reset: null,
		monthly_cap: null,
		quantity: null,
		threshold: null,
	};
}
