/** A part of how many rows a list has in a scope; triggers keep it. The total is the sum of its rows; none means zero. */
type ListTotalTable = {
	/** A workspace, a project or an assessment. */
	readonly scope_id: string;
	/** The table of the rows. */
	readonly list: 'sessions' | 'environments' | 'workflow_runs' | 'assessments' | 'findings';
	/** The user who alone sees the rows; empty for rows that everyone in the scope sees. */
	readonly owner: string;
	readonly total: number;
};

export type ListTables = {
	readonly list_totals: ListTotalTable;
};
