import type {Statement} from '../statement.ts';

/** A list whose totals triggers keep, in the transaction of whatever changes its rows. */
type KeptList = {
	/** The table of the rows, which is also the name of the list. */
	readonly of: string;
	/** The columns that name a scope of the list: a workspace, a project, an assessment. */
	readonly scopes: readonly string[];
	/** Who alone sees a row, with `row.` before each column; an empty text for a row that everyone sees. */
	readonly owner?: string;
	/** The columns of `owner`. */
	readonly ownerColumns?: readonly string[];
};

const lists: readonly KeptList[] = [
	{
		of: 'sessions',
		scopes: ['workspace_id', 'project_id'],
		owner: "case when row.visibility = 'private' then row.user_id else '' end",
		ownerColumns: ['visibility', 'user_id'],
	},
	{of: 'environments', scopes: ['workspace_id', 'project_id']},
	{of: 'workflow_runs', scopes: ['workspace_id', 'project_id']},
	{of: 'assessments', scopes: ['workspace_id']},
	{of: 'findings', scopes: ['project_id', 'assessment_id']},
];

const columns = '(scope_id, list, owner, total)';

/** Returns what each row of some rows adds to the totals of its scopes. */
const changesIn = ({scopes, owner = "''"}: KeptList, rows: string, amount: 1 | -1) =>
	scopes
		.map(scope => `select row.${scope} as scope_id, ${owner} as owner, ${amount} as amount from ${rows} row`)
		.join(' union all ');

/** Returns the statement that adds changes to the totals. */
const addition = ({of}: KeptList, changes: string) =>
	`insert into list_totals ${columns} select scope_id, '${of}', owner, sum(amount) from (${changes}) changes
		where scope_id is not null group by scope_id, owner having sum(amount) <> 0`;

/** Returns the triggers of SQLite, which see one row at a time. One transaction writes at once, so each total is one row. */
function rowTriggers({of, scopes, owner = "''", ownerColumns = []}: KeptList): readonly Statement[] {
	const as = (row: string, text: string) => text.replaceAll('row.', `${row}.`);
	const plus = scopes.map(
		scope => `insert into list_totals ${columns} select new.${scope}, '${of}', ${as('new', owner)}, 1
			where new.${scope} is not null
			on conflict (scope_id, list, owner) do update set total = list_totals.total + 1;`,
	);
	const isSame = (scope: string) => `scope_id = old.${scope} and list = '${of}' and owner = ${as('old', owner)}`;
	const minus = scopes.map(
		scope => `update list_totals set total = total - 1 where ${isSame(scope)};
			delete from list_totals where ${isSame(scope)} and total <= 0;`,
	);
	const watched = [...scopes, ...ownerColumns];
	const trigger = (event: string, when: string, body: readonly string[]) => ({
		postgres: '',
		sqlite: `create trigger ${of}_total_${event} after ${when} on ${of} begin ${body.join(' ')} end`,
	});
	return [
		trigger('insert', 'insert', plus),
		trigger('update', `update of ${watched.join(', ')}`, [...minus, ...plus]),
		trigger('delete', 'delete', minus),
	];
}

/** One of so many changes merges the rows of a total. Reading a total reads about as many. */
const changesPerMerge = 32;

/**
 * Returns the triggers of PostgreSQL, which see all rows of a statement at once. A change adds rows and changes none, so that
 * nobody waits for a total that another transaction has changed. Some changes merge the rows that no other merges then.
 */
function statementTriggers(list: KeptList): readonly Statement[] {
	const {of} = list;
	const added = (changes: string) => `with added as (${addition(list, changes)} returning scope_id)
		select array_agg(distinct added.scope_id) into scopes from added;`;
	const newRows = changesIn(list, 'new_rows', 1);
	const oldRows = changesIn(list, 'old_rows', -1);
	const trigger = (event: string, tables: string) => ({
		sqlite: '',
		postgres: `create trigger ${of}_total_${event} after ${event} on ${of} referencing ${tables}
			for each statement execute function keep_${of}_totals()`,
	});
	return [
		{
			sqlite: '',
			postgres: `create function keep_${of}_totals() returns trigger language plpgsql as $$
			declare scopes text[];
			begin
				if tg_op = 'INSERT' then ${added(newRows)}
				elsif tg_op = 'UPDATE' then ${added(`${newRows} union all ${oldRows}`)}
				else ${added(oldRows)}
				end if;
				if scopes is not null and (tg_op = 'DELETE' or random() * ${changesPerMerge} < 1) then
					with merged as (
						delete from list_totals where ctid = any (array(
							select ctid from list_totals where scope_id = any (scopes) and list = '${of}'
							for update skip locked
						)) returning *
					)
					insert into list_totals ${columns} select scope_id, list, owner, sum(total) from merged
						group by scope_id, list, owner having sum(total) <> 0;
				end if;
				return null;
			end $$`,
		},
		trigger('insert', 'new table as new_rows'),
		trigger('update', 'old table as old_rows new table as new_rows'),
		trigger('delete', 'old table as old_rows'),
	];
}

/** How many rows each list has in each scope, and the triggers that keep it. A total is the sum of its rows. */
export const listTotals: readonly Statement[] = [
	`create table list_totals (
		scope_id text not null,
		list text not null,
		owner text not null,
		total bigint not null
	)`,
	{
		postgres: 'create index list_totals_by_scope on list_totals (scope_id, list, owner)',
		sqlite: 'create unique index list_totals_by_scope on list_totals (scope_id, list, owner)',
	},
	// The triggers keep others from writing until what is there has been counted.
	...lists.flatMap(list => [...rowTriggers(list), ...statementTriggers(list)]),
	...lists.map(list => addition(list, changesIn(list, list.of, 1))),
];
