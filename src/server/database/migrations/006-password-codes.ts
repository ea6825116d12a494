/** One-time codes with which users set a first password or replace a forgotten one. */
export const passwordCodes: readonly string[] = [
	`create table password_codes (
		user_id text primary key references users (id) on delete cascade,
		code_hash text not null unique,
		created_at text not null,
		expires_at text not null
	)`,
];
