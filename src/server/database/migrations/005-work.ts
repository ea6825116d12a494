/** Workflow runs, their items, and submissions of items. */
export const work: readonly string[] = [
	`create table workflow_runs (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		workspace_id text not null references workspaces (id) on delete cascade,
		project_id text not null references projects (id) on delete cascade,
		title text,
		status text not null,
		execution_id text,
		runtime_id text,
		claimed_by text references users (id) on delete set null,
		claimed_at text,
		created_at text not null,
		updated_at text not null
	)`,
	`create table items (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		workspace_id text not null references workspaces (id) on delete cascade,
		project_id text not null references projects (id) on delete cascade,
		session_id text,
		workflow_run_id text,
		workflow_unit text,
		item_type text not null,
		schema_ref text,
		ref text,
		data text not null,
		created_at text not null
	)`,
	'create index items_by_run on items (workflow_run_id, created_at)',
	'create index items_by_session on items (session_id, created_at)',
	'create index items_by_project on items (project_id, item_type)',
	`create table item_schemas (
		project_id text not null references projects (id) on delete cascade,
		item_type text not null,
		schema_ref text not null,
		capability text,
		capability_version text,
		json_schema text not null,
		created_at text not null,
		primary key (project_id, item_type, schema_ref)
	)`,
	`create table stages (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		project_id text not null references projects (id) on delete cascade,
		item_id text not null references items (id) on delete cascade,
		action_id text not null,
		connection_id text not null,
		provenance text not null,
		status text not null,
		submission_id text,
		created_at text not null,
		updated_at text not null
	)`,
	// At most one active stage for each item and action, even with concurrent requests.
	"create unique index active_stage on stages (item_id, action_id) where status = 'staged'",
];
