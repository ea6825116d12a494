/** Users, their organizations and projects, and their credentials. */
export const accounts: readonly string[] = [
	`create table users (
		id text primary key,
		email text not null unique,
		username text not null unique,
		full_name text,
		password_hash text,
		totp_secret text,
		totp_pending_secret text,
		totp_last_step bigint,
		suspended_at text,
		created_at text not null,
		is_administrator bigint not null default 0,
		added_by text
	)`,
	`create table recovery_codes (
		id text primary key,
		user_id text not null references users (id) on delete cascade,
		code_hash text not null,
		used_at text
	)`,
	'create index recovery_codes_by_user on recovery_codes (user_id)',
	`create table organizations (
		id text primary key,
		slug text not null unique,
		name text not null,
		description text,
		runtime_seconds_max bigint,
		runtime_seconds_default bigint,
		sandbox_capacity bigint,
		created_at text not null,
		updated_at text not null,
		suspended_at text,
		deleting_at text
	)`,
	`create table members (
		organization_id text not null references organizations (id) on delete cascade,
		user_id text not null references users (id) on delete cascade,
		role text not null,
		created_at text not null,
		primary key (organization_id, user_id)
	)`,
	`create table workspaces (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		slug text not null,
		name text not null,
		created_at text not null,
		unique (organization_id, slug)
	)`,
	`create table projects (
		id text primary key,
		workspace_id text not null references workspaces (id) on delete cascade,
		slug text not null,
		name text not null,
		created_at text not null,
		unique (workspace_id, slug)
	)`,
	`create table api_keys (
		id text primary key,
		user_id text not null references users (id) on delete cascade,
		name text,
		prefix text not null,
		key_hash text not null unique,
		created_at text not null,
		last_used_at text,
		expires_at text,
		revoked_at text,
		created_with text references api_keys (id),
		requests_per_minute bigint
	)`,
	'create index api_keys_by_user on api_keys (user_id, created_at)',
	'create index api_keys_by_parent on api_keys (created_with)',
	`create table tokens (
		id text primary key,
		user_id text not null references users (id) on delete cascade,
		kind text not null,
		token_hash text not null unique,
		client_id text not null,
		family_id text not null,
		program text,
		api_key_id text references api_keys (id) on delete cascade,
		created_at text not null,
		expires_at text not null,
		used_at text,
		revoked_at text,
		provider_session text
	)`,
	'create index tokens_by_user on tokens (user_id)',
	'create index tokens_by_family on tokens (family_id)',
	'create index tokens_by_api_key on tokens (api_key_id)',
	'create index tokens_by_expiry on tokens (expires_at)',
	'create index tokens_by_provider on tokens (provider_session)',
	`create table device_authorizations (
		id text primary key,
		device_code_hash text not null unique,
		user_code text not null unique,
		client_id text not null,
		status text not null,
		user_id text references users (id) on delete cascade,
		api_key_id text references api_keys (id) on delete cascade,
		interval_seconds bigint not null,
		last_polled_at text,
		requested_from text,
		requested_address text,
		created_at text not null,
		expires_at text not null,
		provider_session text
	)`,
	`create table browser_sessions (
		id text primary key,
		user_id text not null references users (id) on delete cascade,
		session_hash text not null unique,
		second_factor_pending bigint not null,
		api_key_id text references api_keys (id) on delete cascade,
		created_at text not null,
		expires_at text not null,
		revoked_at text,
		provider_session text
	)`,
	'create index browser_sessions_by_provider on browser_sessions (provider_session)',
	`create table attempts (
		key text primary key,
		count bigint not null,
		resets_at text not null
	)`,
	`create table preferences (
		user_id text primary key references users (id) on delete cascade,
		enabled_model_ids text not null,
		updated_at text not null
	)`,
];
