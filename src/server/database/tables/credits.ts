/** Credits of an organization. The auto-refill buys `quantity` whenever the balance falls below `threshold`. */
type CreditAccountTable = {
	readonly organization_id: string;
	readonly balance: number;
	readonly refill_enabled: 0 | 1;
	readonly has_payment_method: 0 | 1;
	/** Refills since `month_reset` was last moved. */
	readonly month_count: number;
	/** When the month's counts reset. */
	readonly month_reset: string | null;
	/** Most refills a month; null for no bound. */
	readonly monthly_cap: number | null;
	readonly quantity: number | null;
	readonly threshold: number | null;
};

/** What a member may use in a month, and has used. */
type MemberCreditTable = {
	readonly organization_id: string;
	readonly user_id: string;
	/** Null for no limit. */
	readonly monthly_limit: number | null;
	readonly month_used: number;
	/** The month that `month_used` counts, as `2026-01`. */
	readonly month: string;
};

type CreditEntryTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly user_id: string | null;
	/** Negative for what was used. */
	readonly amount: number;
	readonly reason: string;
	readonly created_at: string;
};

export type CreditTables = {
	readonly credit_accounts: CreditAccountTable;
	readonly member_credits: MemberCreditTable;
	readonly credit_entries: CreditEntryTable;
};
