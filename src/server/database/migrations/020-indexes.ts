import type {Statement} from '../statement.ts';

/** The columns that findings are sorted by, besides their creation, and what their indexes are called by. */
const sorts = {
	best_score: 'score',
	updated_at: 'update',
	severity_rank: 'severity',
	attack_name: 'attack',
	category: 'category',
} as const;

/**
 * Indexes for both directions of a sort: rows without a value are last in each, and equal ones newest first. SQLite has no
 * `nulls last` in an index; there, null is the lowest value, and an ascending list reads it apart.
 */
function sorted(column: string, name: string): readonly Statement[] {
	const index = (direction: 'asc' | 'desc', nulls: string) =>
		`create index findings_by_${name}_${direction} on findings (project_id, ${column} ${direction}${nulls}, created_at desc, id)`;
	return (['asc', 'desc'] as const).map(direction => ({
		postgres: index(direction, ' nulls last'),
		sqlite: index(direction, ''),
	}));
}

/** Whether an environment has ended, as a list sorts it: the query must have the same words for the index to be used. */
export const isEndedSql = "case when state in ('failed', 'torn_down') then 1 else 0 end";

/** Indexes in the order of each list, for the first and the last page, and one for each foreign key. */
export const indexes: readonly Statement[] = [
	// What a list counts stands in its index, so that counting reads no rows.
	'create index sessions_by_workspace on sessions (workspace_id, updated_at desc, id, visibility, user_id)',
	'create index sessions_by_project on sessions (project_id, updated_at desc, id, visibility, user_id)',
	'create index sessions_by_organization on sessions (organization_id)',
	'create index sessions_by_user on sessions (user_id)',
	`create index environments_by_workspace on environments (workspace_id, (${isEndedSql}), created_at desc, id)`,
	`create index environments_by_project on environments (project_id, (${isEndedSql}), created_at desc, id)`,
	'create index environments_by_organization on environments (organization_id)',
	'create index environments_by_user on environments (created_by)',
	'create index runs_by_workspace on workflow_runs (workspace_id, created_at desc, id)',
	'create index runs_by_project on workflow_runs (project_id, created_at desc, id)',
	'create index runs_by_organization on workflow_runs (organization_id)',
	'create index runs_by_user on workflow_runs (claimed_by)',
	{
		postgres: 'create index findings_by_creation on findings (project_id, created_at desc nulls last, id)',
		sqlite: 'create index findings_by_creation on findings (project_id, created_at desc, id)',
	},
	'create index findings_by_creation_asc on findings (project_id, created_at, id)',
	'drop index if exists findings_by_project',
	...Object.entries(sorts).flatMap(([column, name]) => sorted(column, name)),
	'create index findings_by_workspace on findings (workspace_id)',
	'create index assessments_by_organization on assessments (organization_id)',
	'create index assessments_by_project on assessments (project_id)',
	'create index artifacts_by_organization on artifacts (organization_id)',
	'create index items_by_organization on items (organization_id)',
	'create index items_by_workspace on items (workspace_id)',
	'create index stages_by_organization on stages (organization_id)',
	'create index stages_by_project on stages (project_id)',
	'create index stages_by_item on stages (item_id)',
	'create index runtimes_by_organization on runtimes (organization_id)',
	'create index runtimes_by_project on runtimes (project_id)',
	'create index runtimes_by_user on runtimes (created_by)',
	'create index runtimes_by_sandbox on runtimes (sandbox_id)',
	'create index sandboxes_by_user on sandboxes (created_by)',
	'create index members_by_user on members (user_id)',
	'create index member_credits_by_user on member_credits (user_id)',
	'create index credit_entries_by_user on credit_entries (user_id)',
	'create index device_authorizations_by_user on device_authorizations (user_id)',
	'create index device_authorizations_by_key on device_authorizations (api_key_id)',
	'create index browser_sessions_by_user on browser_sessions (user_id)',
	'create index browser_sessions_by_key on browser_sessions (api_key_id)',
	'create index execute_tokens_by_user on execute_tokens (user_id)',
];

/**
 * Indexes of spans. Those that few spans need contain only these, so that a push of others writes none of them. Those of
 * evaluations answer when one began and ended.
 */
export const spanIndexes: readonly Statement[] = [
	'create index spans_by_project on spans (project_id, received_at)',
	'create index spans_by_user on spans (user_id)',
	'create index spans_by_session on spans (workspace_id, session_id)',
	'create index spans_by_start on spans (workspace_id, evaluation_id, started_at_us) where evaluation_id is not null',
	'create index spans_by_end on spans (workspace_id, evaluation_id, ended_at_us) where evaluation_id is not null',
	`create index spans_naming_items on spans (workspace_id, evaluation_id)
		where attributes like '%service.evaluation.item_count%'`,
	'drop index if exists spans_by_evaluation',
	'drop index if exists spans_by_assessment',
	'drop index if exists spans_by_run',
	`create index spans_by_workflow_run on spans (workspace_id, workflow_run_id, session_id)
		where workflow_run_id is not null`,
];
