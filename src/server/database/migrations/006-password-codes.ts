/** How somebody chooses a password whom nothing but an API key lets in, or who forgot the one that he had. */
export const passwordCodes: readonly string[] = [
	`create table password_codes (
		user_id text primary key references users (id) on delete cascade,
		code_hash text not null unique,
		created_at text not null,
		expires_at text not null
	)`,
];
