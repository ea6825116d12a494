/** Machines with sandboxes. Those of older sandboxes are added, so that they can be found to be lost. */
export const machines: readonly string[] = [
	`create table machines (
		id text primary key,
		host text not null,
		seen_at text not null,
		held_by text,
		held_until text,
		freed_at text,
		folder text not null default ''
	)`,
	`insert into machines (id, host, seen_at, freed_at)
		select machine, '', max(created_at), max(created_at) from sandboxes group by machine`,
	'create index sandboxes_by_machine on sandboxes (machine, state)',
];
