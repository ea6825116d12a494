import type {SqliteDatabase} from 'kysely';
import {onTestFinished} from 'vitest';
import {migrate} from '../../../src/server/database/migrate.ts';
import {databaseOn} from '../../../src/server/database/open.ts';
import {openSqlite} from '../../../src/server/database/sqlite.ts';

/** A SQLite database in memory, and what empties it. */
type Emptied = {readonly database: SqliteDatabase; readonly state: string; readonly deletions: readonly string[]};

/** The size of a database, 4 KiB each, from which on its memory is given back. */
const mostPages = 1000;

/** Emptied databases of earlier tests in this process: creating one takes longer than most tests do. */
const free: Emptied[] = [];

/** Returns an empty database in memory, with the schema, for one test. */
export async function emptyMemory(): Promise<SqliteDatabase> {
	const emptied = free.pop() ?? (await create());
	const {database} = emptied;
	let isClosed = false;
	onTestFinished(() => {
		isClosed = true;
		if (isEmptied(emptied)) {
			free.push(emptied);
		} else {
			database.close();
		}
	});
	return {
		prepare(sql) {
			if (isClosed) {
				throw new Error('The database is closed.');
			}

			return database.prepare(sql);
		},
		close() {
			isClosed = true;
		},
	};
}

async function create(): Promise<Emptied> {
	const database = openSqlite(':memory:');
	await migrate((await databaseOn({engine: 'sqlite', database})).withTables(), 'sqlite');
	const tables = database
		.prepare(`select name from sqlite_master where type = 'table' and name <> 'migrations'`)
		.all([]);
	return {
		database,
		state: stateOf(database),
		deletions: tables.map(table => `delete from ${(table as {name: string}).name}`),
	};
}

/** Empties every table except the migrations. Returns false if the test left a database that is unlike a new one. */
function isEmptied({database, state, deletions}: Emptied): boolean {
	try {
		for (const sql of ['rollback', 'pragma foreign_keys = off', ...deletions, 'pragma foreign_keys = on']) {
			database.prepare(sql).run([]);
		}

		return stateOf(database) === state && Number(pragma(database, 'page_count')) < mostPages;
	} catch {
		return false;
	}
}

/** Returns what a test may have changed besides rows. */
function stateOf(database: SqliteDatabase): string {
	return ['schema_version', 'max_page_count', 'query_only'].map(name => pragma(database, name)).join();
}

function pragma(database: SqliteDatabase, name: string): unknown {
	const [row] = database.prepare(`pragma ${name}`).all([]);
	return Object(row)[name];
}
