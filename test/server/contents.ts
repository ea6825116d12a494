import {sql} from 'kysely';
import type {Database} from '../../src/server/database/tables.ts';
import {engine} from './database/engine.ts';

/** Attempts and the last use of keys are stored even if the request is rejected. */
const uncounted: readonly string[] = ['attempts', 'migrations'];
const uncountedColumn = 'last_used_at';

/** The query for all rows; the schema is the same in every database. */
let statement: string | undefined;

/**
 * Returns the rows of each table that has any, to verify that a rejected request changed nothing. One query reads all
 * tables, because some tests compare them a thousand times.
 */
export async function contentsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
	statement ??= await statementFor(database);
	const {rows} = await sql<{name: string; content: string}>`${sql.raw(statement)}`.execute(database);
	const contents: Record<string, string[]> = {};
	for (const {name, content} of rows) {
		contents[name] ??= [];
		contents[name].push(content);
	}

	for (const contentsOfTable of Object.values(contents)) {
		contentsOfTable.sort();
	}

	return contents;
}

async function statementFor(database: Database): Promise<string> {
	const tables = await database.introspection.getTables();
	return tables
		.filter(({name}) => !uncounted.includes(name))
		.map(({name, columns}) => {
			const pairs = columns
				.filter(column => column.name !== uncountedColumn)
				.map(column => `'${column.name}', "${column.name}"`);
			const content =
				engine === 'sqlite' ? `json_object(${pairs.join(', ')})` : `(to_jsonb("${name}") - '${uncountedColumn}')::text`;
			return `select '${name}' as name, ${content} as content from "${name}"`;
		})
		.join(' union all ');
}
