import {setTimeout as sleep} from 'node:timers/promises';
import {type Kysely, sql} from 'kysely';
import {AppError} from '../../core/error.ts';
import {isLockTimeout} from './fault.ts';
import type {Engine} from './location.ts';
import {migrations, upgrades} from './migrations.ts';
import type {Statement} from './statement.ts';

type Applied = {readonly migrations: {readonly name: string; readonly applied_at: string}};

/** A database of which nothing but the schema is of interest. */
export type Schema = Kysely<Applied>;

/**
 * The advisory lock that makes concurrent migrations of a PostgreSQL database wait for each other. The number is
 * arbitrary.
 */
const lockNumber = 7_300_125;

/**
 * Lets PostgreSQL order every text by its code points, as SQLite does, whatever the locale of the database is. It runs after
 * other changes, so that it includes the columns that they add; a change of the collation rebuilds the indexes of a table.
 */
const orderText = `do $$
declare changed record;
begin
	for changed in
		select format('%I', table_name) as name,
			string_agg(format('alter column %I type text collate "C"', column_name), ', ') as columns
		from information_schema.columns join information_schema.tables using (table_schema, table_name)
		where table_schema = current_schema() and table_type = 'BASE TABLE' and data_type = 'text'
			and is_generated = 'NEVER' and collation_name is distinct from 'C'
		group by table_name
	loop
		execute 'alter table ' || changed.name || ' ' || changed.columns;
	end loop;
end $$`;

/** What a database lacks. */
export type Pending = {
	/** Whether it has no schema at all. */
	readonly isNew: boolean;
	/** The names of the missing migrations, in order. */
	readonly names: readonly string[];
};

/**
 * Returns which migrations a database lacks, and writes nothing. Throws AppError("upgrade") if a newer version has changed
 * the schema, because this version can't know how to use it.
 */
export async function pendingMigrations(database: Schema, engine: Engine): Promise<Pending> {
	const tables =
		engine === 'postgres'
			? sql`select 1 where to_regclass('migrations') is not null`
			: sql`select 1 from sqlite_master where type = 'table' and name = 'migrations'`;
	const {rows} = await tables.execute(database);
	const applied = rows.length > 0 ? await database.selectFrom('migrations').select('name').execute() : [];
	if (applied.some(({name}) => !Object.hasOwn(migrations, name))) {
		throw new AppError('upgrade', 'A newer version of service has changed this database.', {
			hint: 'Install that version, or use another --data or --database.',
		});
	}

	const names = new Set(applied.map(({name}) => name));
	return {isNew: names.size === 0, names: Object.keys(migrations).filter(name => !names.has(name))};
}

/**
 * Throws AppError("upgrade") if the schema of a database is older than this version, because other servers may still run on
 * it: only `serve` and `serve migrate` change it.
 */
export function assertCurrent({isNew, names}: Pending): void {
	if (!isNew && names.length > 0) {
		throw new AppError('upgrade', 'An older version of service has made this database.', {
			hint: 'Upgrade it first: `$ serve migrate`',
		});
	}
}

type Options = {
	/** Called before each migration of a database that has a schema. */
	readonly onStep?: ((name: string) => void) | undefined;
	/** Whether to wait, however long it takes, while another process writes to a SQLite file. */
	readonly isPatient?: boolean;
};

/** How long it waits before it asks again whether a SQLite file is free. */
const busyDelayMs = 250;

/**
 * Brings the schema up to date: a new database in one transaction, any other in one for each migration, so that a process
 * which ends in between loses one at most. Several processes may call it at once; each migration is done by one, and
 * the others wait. Throws what `pendingMigrations` throws.
 */
export async function migrate(database: Schema, engine: Engine, {onStep, isPatient = false}: Options = {}) {
	for (let isDone = false; !isDone; ) {
		try {
			isDone = await database.transaction().execute(async transaction => {
				if (engine === 'postgres') {
					// Another server's migration may take longer than a change.
					await sql`set local lock_timeout = 0`.execute(transaction);
					await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
				}

				return await takeStep(transaction, engine, onStep);
			});
		} catch (error) {
			if (!isPatient || engine === 'postgres' || !isLockTimeout(error)) {
				throw error;
			}

			await sleep(busyDelayMs);
		}
	}
}

/** Does the next migration, or all of a new database. Returns whether none is missing then. */
async function takeStep(transaction: Schema, engine: Engine, onStep: Options['onStep']): Promise<boolean> {
	const {isNew, names} = await pendingMigrations(transaction, engine);
	const [next] = names;
	if (next === undefined) {
		return true;
	}

	// What a migration creates now includes what those that upgrade it would add.
	const done = names.filter(name => isNew || name === next || upgrades[name] === next);
	if (isNew) {
		await sql`create table migrations (name text primary key, applied_at text not null)`.execute(transaction);
	} else {
		onStep?.(next);
	}

	for (const name of isNew ? done.filter(each => upgrades[each] === undefined) : [next]) {
		for (const statement of migrations[name] ?? []) {
			await run(transaction, engine, statement);
		}
	}

	await run(transaction, engine, {postgres: orderText, sqlite: ''});
	const applied_at = new Date().toISOString();
	await transaction
		.insertInto('migrations')
		.values(done.map(name => ({name, applied_at})))
		.execute();
	return done.length === names.length;
}

async function run(transaction: Schema, engine: Engine, statement: Statement): Promise<void> {
	const text = typeof statement === 'string' ? statement : statement[engine];
	if (text !== '') {
		await sql.raw(text).execute(transaction);
	}
}

/** A missing migration, and about how many rows of which tables it goes through. */
export type PlannedMigration = {
	readonly name: string;
	readonly tables: readonly {readonly name: string; readonly rows: number}[];
};

/** Returns what `migrate` would do, in order, with estimates that read no table. Throws what `pendingMigrations` throws. */
export async function planMigrations(database: Schema, engine: Engine): Promise<readonly PlannedMigration[]> {
	const {isNew, names} = await pendingMigrations(database, engine);
	const tables = isNew ? [] : (await database.introspection.getTables()).map(({name}) => name);
	const estimates = new Map<string, number>();
	const planned: PlannedMigration[] = [];
	for (const name of names) {
		// It is part of one that is missing, too.
		if (names.includes(upgrades[name] ?? '')) {
			continue;
		}

		const text = (migrations[name] ?? []).map(each => (typeof each === 'string' ? each : each[engine])).join('\n');
		const touched = tables.filter(table => new RegExp(`\\b(?:from|on|table|join|update) ${table}\\b`).test(text));
		for (const table of touched) {
			estimates.set(table, estimates.get(table) ?? (await estimateRows(database, engine, table)));
		}

		planned.push({name, tables: touched.map(table => ({name: table, rows: estimates.get(table) ?? 0}))});
	}

	return planned;
}

/** The most bytes of a table of PostgreSQL that are read to count its rows. */
const maxCountedBytes = 8 * 1024 * 1024;

/**
 * Returns about how many rows a table has, in a time that doesn't grow with it: the highest row id of SQLite; for PostgreSQL what
 * its planner assumes, or the count of a small table, of which that may know nothing.
 */
async function estimateRows(database: Schema, engine: Engine, table: string): Promise<number> {
	if (engine === 'sqlite') {
		const {rows} = await sql<{rows: number | null}>`select max(rowid) as rows from ${sql.table(table)}`.execute(
			database,
		);
		return rows[0]?.rows ?? 0;
	}

	const size = await sql<{bytes: number | string}>`select pg_relation_size(to_regclass(${table})) as bytes`.execute(
		database,
	);
	if (Number(size.rows[0]?.bytes) <= maxCountedBytes) {
		const {rows} = await sql<{rows: number | string}>`select count(*) as rows from ${sql.table(table)}`.execute(
			database,
		);
		return Number(rows[0]?.rows);
	}

	type Estimate = {readonly 'QUERY PLAN': readonly {readonly Plan: {readonly 'Plan Rows': number}}[]};
	const {rows} = await sql<Estimate>`explain (format json) select from ${sql.table(table)}`.execute(database);
	return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}
