import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {emptyPlace} from './engine.ts';

const plans = (database: Database) =>
	sql<{statement: string}>`select statement from pg_prepared_statements where statement like '%things%'`
		.execute(database)
		.then(({rows}) => rows.map(({statement}) => statement));

/** Returns a database with another table, on connections of the test's own, which have kept no plan. */
async function openWith(table: string): Promise<Database> {
	const database = await openDatabase(await emptyPlace());
	onTestFinished(() => database.destroy());
	await sql`create table ${sql.table(table)} (id integer, name text)`.execute(database);
	// Later tests get the same database, and those that read all tables expect the same ones in each.
	onTestFinished(async () => {
		await sql`drop table ${sql.table(table)}`.execute(database);
	});
	return database;
}

test('PostgreSQL keeps the plan of a query that comes again, and of no other', async () => {
	const database = await openWith('things');
	await database.connection().execute(async connection => {
		const read = (id: number) => sql`select * from things where id = ${id}`.execute(connection);
		await sql`select name from things where id = ${1}`.execute(connection);
		await read(1);
		await read(2);
		expect(await plans(connection as Database)).toEqual([]);
		await read(3);
		await read(4);
		expect(await plans(connection as Database)).toEqual(['select * from things where id = $1']);
	});
});

test('after a change of the tables a statement is executed once more without the plan, and answers with the new columns', async () => {
	const database = await openWith('boxes');
	await sql`insert into boxes values (1, 'one')`.execute(database);
	const read = () => sql`select * from boxes where id = ${1}`.execute(database).then(({rows}) => rows);
	for (const _ of [1, 2, 3, 4]) {
		await read();
	}

	await sql`alter table boxes add column size integer default 2`.execute(database);
	expect(await read()).toEqual([{id: 1, name: 'one', size: 2}]);
	const all = await Promise.all(Array.from({length: 20}, read));
	expect(new Set(all.map(rows => JSON.stringify(rows)))).toEqual(
		new Set([JSON.stringify([{id: 1, name: 'one', size: 2}])]),
	);
});
