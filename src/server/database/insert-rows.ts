import {CompiledQuery, type Insertable, PostgresAdapter} from 'kysely';
import type {DatabaseTransaction, Tables} from './tables.ts';

/** How many rows one statement of SQLite inserts: the next for the rest, so that three statements are prepared for a table. */
const sqliteRows = [100, 10, 1] as const;

/** How many rows one statement of PostgreSQL inserts. */
const postgresRows = 1000;

type Row = Readonly<Record<string, unknown>>;

/**
 * Inserts many rows with one kept statement each for PostgreSQL, which gets them as one JSON text, and for SQLite. Building a
 * statement of thousands of values takes longer than executing it. All rows have the columns of the first. `conflict` is
 * what the statement ends with.
 */
export async function insertRows<Name extends keyof Tables & string>(
	transaction: DatabaseTransaction,
	table: Name,
	rows: readonly Insertable<Tables[Name]>[],
	conflict: string,
): Promise<void> {
	const given: readonly Row[] = rows;
	const [first] = given;
	if (!first) {
		return;
	}

	const names = Object.keys(first);
	const columns = names.map(name => `"${name}"`).join(', ');
	if (transaction.getExecutor().adapter instanceof PostgresAdapter) {
		const text = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1) ${conflict}`;
		for (let from = 0; from < given.length; from += postgresRows) {
			const json = toStorableJson(given.slice(from, from + postgresRows));
			await transaction.executeQuery(CompiledQuery.raw(text, [json]));
		}

		return;
	}

	const values = `(${names.map(() => '?').join(', ')})`;
	let done = 0;
	for (const size of sqliteRows) {
		const text = `insert into ${table} (${columns}) values ${new Array(size).fill(values).join(', ')} ${conflict}`;
		for (; given.length - done >= size; done += size) {
			const parameters: unknown[] = [];
			for (const row of given.slice(done, done + size)) {
				for (const name of names) {
					parameters.push(row[name]);
				}
			}

			await transaction.executeQuery(CompiledQuery.raw(text, parameters));
		}
	}
}

/** What PostgreSQL can't store as text: NUL, and half of a surrogate pair. */
const unstorable = /\\u(?:0000|d[89a-f])/i;

/** Returns rows as JSON, with the replacements for what PostgreSQL can't store that values of other queries get. */
function toStorableJson(rows: readonly Row[]): string {
	const json = JSON.stringify(rows);
	return unstorable.test(json)
		? JSON.stringify(rows, (_, value: unknown) =>
				typeof value === 'string' ? Buffer.from(value.replaceAll('\0', '\u{FFFD}')).toString() : value,
			)
		: json;
}
