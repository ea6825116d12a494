import type {Statement} from '../statement.ts';

/** Who alone sees a session, as a list asks for it: the query must have the same words for the index to be used. */
export const sessionReaderSql = "case when visibility = 'private' then user_id else '' end";

/** Indexes in the order of each list, so that a page reads its own rows alone. */
export const listIndexes: readonly Statement[] = [
	...['workspace', 'project'].flatMap(scope => [
		`create index sessions_by_${scope}_reader on sessions (${scope}_id, (${sessionReaderSql}), updated_at desc, id)`,
		`drop index sessions_by_${scope}`,
		`create index runtimes_by_${scope}_creation on runtimes (${scope}_id, created_at desc, id)`,
	]),
	'drop index runtimes_by_project',
	'create index assessments_by_creation on assessments (workspace_id, created_at desc, id)',
	'drop index assessments_by_workspace',
	// The severity leads, so that SQLite doesn't take this new index, of which it has no statistics, for a list without the filter.
	'create index findings_by_severity_name on findings (severity, project_id, created_at desc, id)',
	'create index spans_by_workspace on spans (workspace_id, received_at)',
];
