/** The tokens with which the services of a sandbox are reached, and where other servers reach that of a machine. */
export const serviceProxy: readonly string[] = [
	`create table execute_tokens (
		environment_id text primary key references environments (id) on delete cascade,
		token_hash text not null,
		user_id text not null references users (id) on delete cascade,
		api_key_id text,
		expires_at text not null
	)`,
	'alter table machines add column address text',
];
