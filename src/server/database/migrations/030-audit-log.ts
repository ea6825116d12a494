/**
 * What was administered, and by whom. It refers to no other table: an entry outlives its organization, its user and what they
 * did it to.
 */
export const auditLog: readonly string[] = [
	`create table audit_log (
		id text primary key,
		at text not null,
		organization_id text,
		actor_kind text not null,
		actor_id text,
		actor text not null,
		act text not null,
		subject_id text,
		subject text not null,
		details text not null,
		address text,
		request_id text
	)`,
	'create index audit_log_by_organization on audit_log (organization_id, at, id)',
	'create index audit_log_by_time on audit_log (at, id)',
];
