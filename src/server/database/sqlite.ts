import {createRequire} from 'node:module';
import type {SqliteDatabase} from 'kysely';

type Value = null | number | string;

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same. */
type Statement = {
	columns: () => readonly unknown[];
	all: (...values: Value[]) => unknown[];
	run: (...values: Value[]) => {changes: number | bigint; lastInsertRowid: number | bigint};
	iterate: (...values: Value[]) => IterableIterator<unknown>;
};

type Connection = {exec: (sql: string) => void; prepare: (sql: string) => Statement; close: () => void};

/** Most prepared statements that are kept for the next time; ours are about as many as there are queries in the code. */
const mostPrepared = 500;

/**
 * Opens a SQLite file, made where there is none. What was acknowledged is on the disk (`synchronous=FULL`), readers of
 * other processes do not wait for writers (WAL), and a writer waits up to 5 seconds for another process.
 */
export function openSqlite(file: string): SqliteDatabase {
	const connection = connect(file);
	connection.exec('pragma busy_timeout = 5000');
	connection.exec('pragma journal_mode = wal');
	connection.exec('pragma synchronous = full');
	connection.exec('pragma foreign_keys = on');

	const prepared = new Map<string, ReturnType<typeof adapt>>();
	return {
		close() {
			// Statements that are kept would keep SQLite from doing this by itself.
			connection.exec('pragma wal_checkpoint(truncate)');
			connection.close();
		},
		prepare(sql) {
			const known = prepared.get(sql);
			if (known) {
				return known;
			}

			// A transaction that reads first and writes then would fail where another process wrote between: it says so at once.
			const statement = adapt(connection.prepare(sql === 'begin' ? 'begin immediate' : sql));
			if (prepared.size >= mostPrepared) {
				prepared.clear();
			}

			prepared.set(sql, statement);
			return statement;
		},
	};
}

/**
 * Holds a file of its own until it is let go, or the process ends, however it does. Undefined where another one holds it.
 * These are locks of the system, so that none is left by a process that was killed, here or in another container.
 */
export function holdFile(file: string): {readonly release: () => void} | undefined {
	const connection = connect(file);
	try {
		connection.exec('begin exclusive');
		return {release: () => connection.close()};
	} catch (error) {
		connection.close();
		if (error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === busy) {
			return undefined;
		}

		throw error;
	}
}

/** SQLITE_BUSY. */
const busy = 5;

function adapt(statement: Statement) {
	return {
		reader: statement.columns().length > 0,
		all: (values: readonly unknown[]) => statement.all(...values.map(toValue)),
		run: (values: readonly unknown[]) => statement.run(...values.map(toValue)),
		iterate: (values: readonly unknown[]) => statement.iterate(...values.map(toValue)),
	};
}

function toValue(value: unknown): Value {
	if (value === null || typeof value === 'number' || typeof value === 'string') {
		return value;
	}

	throw new TypeError(`A ${typeof value} cannot be stored.`);
}

/** Node's own module from 24 on: before, it is not there or warns on standard error that it is experimental. */
function connect(file: string): Connection {
	const require = createRequire(import.meta.url);
	const isBuiltIn = Number.parseInt(process.versions.node, 10) >= 24;
	const {DatabaseSync} = require(isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite');
	return new DatabaseSync(file);
}
