import {sql} from 'kysely';
import {expect, test} from 'vitest';
import type {Database} from '../../../src/server/database/tables.ts';
import {emptyDatabase, engine} from './engine.ts';

type Columns = {readonly table: string; readonly columns: string};

/** Returns the columns of each foreign key, and those of each index, in order. */
async function keysAndIndexes(database: Database): Promise<{keys: readonly Columns[]; indexes: readonly Columns[]}> {
	if (engine === 'postgres') {
		const names = (keys: string, relation: string) =>
			sql.raw(`(select string_agg(attname, ',' order by place) from unnest(${keys}) with ordinality as key (number, place)
				join pg_attribute on attrelid = ${relation} and attnum = number)`);
		const keys = sql<Columns>`select conrelid::regclass::text as table, ${names('conkey', 'conrelid')} as columns
			from pg_constraint where contype = 'f'`.execute(database);
		const indexes =
			sql<Columns>`select indrelid::regclass::text as table, ${names('indkey::int2[]', 'indrelid')} as columns
			from pg_index where indpred is null`.execute(database);
		return {keys: (await keys).rows, indexes: (await indexes).rows};
	}

	const keys = sql<Columns>`select tables.name as "table", group_concat(keys."from") as columns
		from sqlite_master tables, pragma_foreign_key_list(tables.name) keys where tables.type = 'table' group by tables.name, keys.id`;
	const indexes = sql<Columns>`select tables.name as "table",
		(select group_concat(coalesce(columns.name, '')) from pragma_index_info(indexes.name) columns) as columns
		from sqlite_master tables, pragma_index_list(tables.name) indexes where tables.type = 'table' and not indexes.partial`;
	return {keys: (await keys.execute(database)).rows, indexes: (await indexes.execute(database)).rows};
}

test('each foreign key has an index that begins with its columns, so that a deletion reads no whole table', async () => {
	const {keys, indexes} = await keysAndIndexes(await emptyDatabase());
	expect(keys.length).toBeGreaterThan(50);
	const missing = keys.filter(
		({table, columns}) =>
			!indexes.some(index => index.table === table && `${index.columns},`.startsWith(`${columns},`)),
	);
	expect(missing).toEqual([]);
});
