/** When a sandbox must be looked at next, which older ones get when their server looks at all, and its memory limit. */
export const dueSandboxes: readonly string[] = [
	'alter table sandboxes add column due_at text',
	'alter table sandboxes add column memory_bytes bigint',
];

/** Which data folder the id of a machine is in, so that a copy of it is noticed; empty if that isn't known yet. */
export const machineFolders: readonly string[] = ["alter table machines add column folder text not null default ''"];

/** What servers share: who does which periodic work, and which sandboxes are due. */
export const sweeps: readonly string[] = [
	`create table sweeps (
		name text primary key,
		held_by text not null,
		held_until text not null
	)`,
	'create index sandboxes_by_due on sandboxes (machine, due_at)',
];
