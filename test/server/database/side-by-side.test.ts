import {readFileSync} from 'node:fs';
import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {emptyDatabase, engine} from './engine.ts';

/** The tables of the version before, and what it asked of them while every operation of it was called. */
type Before = {
	readonly tables: Readonly<Record<string, readonly string[]>>;
	readonly queries: readonly string[];
};

const before: Before = JSON.parse(readFileSync(`test/fixtures/schema/017-${engine}.json`, 'utf8'));

test('a server of the version before can go on: the schema has all that it asks for', async () => {
	const database = await emptyDatabase();
	expect(before.queries.length).toBeGreaterThan(90);
	const failed: string[] = [];
	await database.connection().execute(async connection => {
		for (const query of before.queries) {
			const prepare = engine === 'postgres' ? `prepare before as ${query}` : `explain ${query}`;
			await sql
				.raw(prepare)
				.execute(connection)
				.then(
					async () => {
						if (engine === 'postgres') {
							await sql`deallocate before`.execute(connection);
						}
					},
					error => failed.push(`${error}: ${query}`),
				);
		}
	});
	expect(failed).toEqual([]);
});

test('what a server of the version before inserts has no value for a new column, and needs none', async () => {
	const tables = await (await emptyDatabase()).introspection.getTables();
	const columns = new Map(tables.map(table => [table.name, table.columns]));
	const missing = Object.entries(before.tables).flatMap(([table, names]) =>
		names.filter(name => !columns.get(table)?.some(column => column.name === name)).map(name => `${table}.${name}`),
	);
	const required = Object.entries(before.tables).flatMap(([table, names]) =>
		(columns.get(table) ?? [])
			.filter(({name, isNullable, hasDefaultValue}) => !names.includes(name) && !isNullable && !hasDefaultValue)
			.map(({name}) => `${table}.${name}`),
	);
	expect({missing, required}).toEqual({missing: [], required: []});
});
