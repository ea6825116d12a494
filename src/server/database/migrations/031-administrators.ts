/** Users who administer the whole server. */
export const administrators: readonly string[] = [
	'alter table users add column is_administrator bigint not null default 0',
];
