/** Credits of an organization. The auto-refill buys `quantity` whenever the balance falls below `threshold`. */
type CreditAccountTable = {
	readonly organization_id: string;
	readonly balance: number;
	readonly refill_enabled: 0 | 1;
	readonly has_payment_method: 0 | 1;
	/** Refills in the month that ends at `month_reset`. */
	readonly month_count: number;
	/** When the month's counts reset. */
	readonly month_reset: string | null;
	/** Maximum refills a month; null for no limit. */
	readonly monthly_cap: number | null;
	readonly quantity: number | null;
	readonly threshold: number | null;
};

/** A member's monthly limit and use. */
type MemberCreditTable = {
	readonly organization_id: string;
	readonly user_id: string;
	/** Null for no limit. */
	readonly monthly_limit: number | null;
	readonly month_used: number;
	/** The month that `month_used` counts, e.g. `2026-01`. */
	readonly month: string;
};

type CreditEntryTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly user_id: string | null;
	/** Negative for usage. */
	readonly amount: number;
	readonly reason: string;
	readonly created_at: string;
};

export type CreditTables = {
	readonly credit_accounts: CreditAccountTable;
	readonly member_credits: MemberCreditTable;
	readonly credit_entries: CreditEntryTable;
};
