import type {Statement} from '../statement.ts';

/**
 * A count that triggers keep, in the transaction of whatever changes the rows: a push of spans, a deletion, a server of the
 * version before. So what is kept is what counting would return, and nobody has to remember it.
 */
type Kept = {
	/** The table that is counted, and the one with the counts. */
	readonly of: string;
	readonly table: string;
	/** The columns of both that identify a count. */
	readonly key: Readonly<Record<string, string>>;
	/** The counts, each with what one row adds. */
	readonly counts: Readonly<Record<string, string>>;
	/** Which rows count, with `row.` before each column. */
	readonly where: string;
};

const kept: readonly Kept[] = [
	{
		of: 'session_messages',
		table: 'session_counts',
		key: {session_id: 'row.session_id'},
		counts: {messages: '1'},
		// As `uncounted` in `ingest/messages.ts` has it.
		where: "row.role not in ('tool', 'request', 'task')",
	},
	{
		of: 'spans',
		table: 'evaluation_types',
		key: {workspace_id: 'row.workspace_id', evaluation_id: 'row.evaluation_id', type: 'row.type'},
		counts: {
			spans: '1',
			errors: 'case when row.status_code = 2 then 1 else 0 end',
			roots: 'case when row.parent_span_id is null then 1 else 0 end',
		},
		where: 'row.evaluation_id is not null',
	},
	{
		of: 'spans',
		table: 'evaluation_items',
		key: {
			workspace_id: 'row.workspace_id',
			evaluation_id: 'row.evaluation_id',
			item_id: 'row.evaluation_item_id',
		},
		counts: {spans: '1'},
		where: 'row.evaluation_id is not null and row.evaluation_item_id is not null',
	},
];

/** Returns the statement that counts the rows of a table, or of the changes that a trigger sees. */
function count({table, key, counts, where}: Kept, rows: string): string {
	const names = [...Object.keys(key), ...Object.keys(counts)];
	const sums = Object.values(counts).map(each => `sum(${each})`);
	const keys = Object.values(key);
	// In one order, so that two transactions don't wait for each other.
	return `insert into ${table} (${names.join(', ')}) select ${[...keys, ...sums].join(', ')} from ${rows} row
		where ${where} group by ${keys.join(', ')} order by ${keys.join(', ')}`;
}

const add = ({table, key, counts}: Kept) =>
	`on conflict (${Object.keys(key).join(', ')}) do update
		set ${Object.keys(counts)
			.map(name => `${name} = ${table}.${name} + excluded.${name}`)
			.join(', ')}`;

/** Returns the triggers of SQLite, which see one row at a time. */
function rowTriggers(each: Kept): readonly Statement[] {
	const {of, table, key, counts, where} = each;
	const as = (row: string, text: string) => text.replaceAll('row.', `${row}.`);
	const names = Object.keys(key);
	const plus = `insert into ${table} (${[...names, ...Object.keys(counts)].join(', ')})
		select ${[...Object.values(key), ...Object.values(counts)].map(text => as('new', text)).join(', ')}
		where ${as('new', where)} ${add(each)};`;
	const isSame = names.map(name => `${name} = ${as('old', key[name] ?? '')}`).join(' and ');
	const minus = `update ${table} set ${Object.entries(counts)
		.map(([name, text]) => `${name} = ${name} - ${as('old', text)}`)
		.join(', ')} where ${isSame} and ${as('old', where)};
		delete from ${table} where ${isSame} and ${Object.keys(counts)[0]} <= 0;`;
	const trigger = (event: string, body: string) => ({
		postgres: '',
		sqlite: `create trigger ${table}_${event} after ${event} on ${of} begin ${body} end`,
	});
	return [trigger('insert', plus), trigger('update', `${minus} ${plus}`), trigger('delete', minus)];
}

/** Returns the triggers of PostgreSQL, which see all rows of a statement at once: it keeps each version of a changed row. */
function statementTriggers(each: Kept): readonly Statement[] {
	const {of, table, key, counts, where} = each;
	const names = Object.keys(key);
	const minus = `update ${table} set ${Object.keys(counts)
		.map(name => `${name} = ${table}.${name} - gone.${name}`)
		.join(', ')} from (select ${[
		...Object.entries({...key}).map(([name, text]) => `${text} as ${name}`),
		...Object.entries(counts).map(([name, text]) => `sum(${text}) as ${name}`),
	].join(', ')} from old_rows row where ${where} group by ${Object.values(key).join(', ')}) gone
		where ${names.map(name => `${table}.${name} = gone.${name}`).join(' and ')};
		delete from ${table} using (select distinct ${Object.entries(key)
			.map(([name, text]) => `${text} as ${name}`)
			.join(', ')} from old_rows row where ${where}) gone
		where ${names.map(name => `${table}.${name} = gone.${name}`).join(' and ')} and ${Object.keys(counts)[0]} <= 0;`;
	const trigger = (event: string, tables: string) => ({
		sqlite: '',
		postgres: `create trigger ${table}_${event} after ${event} on ${of} referencing ${tables}
			for each statement execute function keep_${table}()`,
	});
	return [
		{
			sqlite: '',
			postgres: `create function keep_${table}() returns trigger language plpgsql as $$ begin
				if tg_op <> 'INSERT' then ${minus} end if;
				if tg_op <> 'DELETE' then ${count(each, 'new_rows')} ${add(each)}; end if;
				return null;
			end $$`,
		},
		trigger('insert', 'new table as new_rows'),
		trigger('update', 'old table as old_rows new table as new_rows'),
		trigger('delete', 'old table as old_rows'),
	];
}

/** Counts of messages of sessions and of spans of evaluations, and the triggers that keep them. */
export const keptCounts: readonly Statement[] = [
	`create table session_counts (
		session_id text primary key references sessions (id) on delete cascade,
		messages bigint not null
	)`,
	`create table evaluation_types (
		workspace_id text not null references workspaces (id) on delete cascade,
		evaluation_id text not null,
		type text not null,
		spans bigint not null,
		errors bigint not null,
		roots bigint not null,
		primary key (workspace_id, evaluation_id, type)
	)`,
	`create table evaluation_items (
		workspace_id text not null references workspaces (id) on delete cascade,
		evaluation_id text not null,
		item_id text not null,
		spans bigint not null,
		primary key (workspace_id, evaluation_id, item_id)
	)`,
	// The triggers keep others from writing until what is there has been counted.
	...kept.flatMap(each => [...rowTriggers(each), ...statementTriggers(each)]),
	...kept.map(each => count(each, each.of)),
];
