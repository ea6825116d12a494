import {sql} from 'kysely';
import type {Database} from '../../src/server/database/tables.ts';

/** Attempts and the last use of keys are stored even if the request is rejected. */
const uncounted: readonly string[] = ['attempts', 'migrations'];

/** Returns the whole content of a database, to verify that a rejected request changed nothing. */
export async function contentsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
	const tables = await database.introspection.getTables();
	const contents: Record<string, readonly string[]> = {};
	for (const {name} of tables.filter(table => !uncounted.includes(table.name))) {
		const {rows} = await sql<object>`select * from ${sql.table(name)}`.execute(database);
		contents[name] = rows.map(row => JSON.stringify({...row, last_used_at: undefined})).sort();
	}

	return contents;
}
