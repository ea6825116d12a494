/** Logs of sandboxes in the database, in segments, and who collects them. Logs of older sandboxes are collected, too. */
export const sandboxLogs: readonly string[] = [
	`create table sandbox_logs (
		sandbox_id text primary key references sandboxes (id) on delete cascade,
		machine text not null,
		state text not null,
		start_offset bigint not null,
		end_offset bigint not null,
		collected bigint not null,
		held_by text
	)`,
	"create index unfinished_sandbox_logs on sandbox_logs (machine, state) where state != 'complete'",
	`create table log_segments (
		sandbox_id text not null references sandbox_logs (sandbox_id) on delete cascade,
		start_offset bigint not null,
		end_offset bigint not null,
		bytes bytea,
		object text,
		primary key (sandbox_id, start_offset)
	)`,
	`create table log_collectors (
		id text primary key,
		held_until text not null
	)`,
	'create index environments_by_sandbox on environments (sandbox_id)',
	`insert into sandbox_logs (sandbox_id, machine, state, start_offset, end_offset, collected)
		select id, machine, case when state = 'killed' then 'ended' else 'open' end, 0, 0, 0 from sandboxes
		where id in (select sandbox_id from environments)`,
];
