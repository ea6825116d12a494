/** Credits of organizations and their use by members. */
export const credits: readonly string[] = [
	`create table credit_accounts (
		organization_id text primary key references organizations (id) on delete cascade,
		balance bigint not null,
		refill_enabled bigint not null,
		has_payment_method bigint not null,
		month_count bigint not null,
		month_reset text,
		monthly_cap bigint,
		quantity bigint,
		threshold bigint
	)`,
	`create table member_credits (
		organization_id text not null references organizations (id) on delete cascade,
		user_id text not null references users (id) on delete cascade,
		monthly_limit bigint,
		month_used bigint not null,
		month text not null,
		primary key (organization_id, user_id)
	)`,
	`create table credit_entries (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		user_id text references users (id) on delete set null,
		amount bigint not null,
		reason text not null,
		created_at text not null
	)`,
	'create index credit_entries_by_organization on credit_entries (organization_id, created_at)',
];
