/** Users by what an OpenID provider calls them, and logins there that have begun. */
export const identities: readonly string[] = [
	`create table identities (
		issuer text not null,
		subject text not null,
		user_id text not null references users (id) on delete cascade,
		created_at text not null,
		primary key (issuer, subject)
	)`,
	'create index identities_by_user on identities (user_id)',
	`create table oidc_logins (
		state_hash text primary key,
		browser_hash text not null,
		next text not null,
		user_id text references users (id) on delete cascade,
		expires_at text not null
	)`,
	'create index oidc_logins_by_user on oidc_logins (user_id)',
];
