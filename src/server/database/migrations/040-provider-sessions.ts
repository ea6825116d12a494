/** The sessions at an OpenID provider that logins come from, so that a logout there ends them; null for other logins. */
export const providerSessions: readonly string[] = [
	...['browser_sessions', 'device_authorizations', 'tokens'].map(
		table => `alter table ${table} add column provider_session text`,
	),
	'create index browser_sessions_by_provider on browser_sessions (provider_session)',
	'create index tokens_by_provider on tokens (provider_session)',
];
