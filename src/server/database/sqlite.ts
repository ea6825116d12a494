import {statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {setTimeout as sleep} from 'node:timers/promises';
import type {CompiledQuery, DatabaseConnection, SqliteDatabase} from 'kysely';

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
 * other processes do not wait for writers (WAL). Nothing is written any more to a file that was removed, or replaced by
 * another: it would be gone with this process.
 */
export function openSqlite(file: string): SqliteDatabase {
	const connection = connect(file);
	connection.exec(`pragma busy_timeout = ${longestWait}`);
	connection.exec('pragma journal_mode = wal');
	connection.exec('pragma synchronous = full');
	connection.exec('pragma foreign_keys = on');
	// From here on it is waited without holding up the whole process; see `waitForOthers`.
	connection.exec('pragma busy_timeout = 0');
	const assertThere = watch(file);

	const prepared = new Map<string, ReturnType<typeof adapt>>();
	return {
		close() {
			// Statements that are kept would keep SQLite from doing this by itself.
			connection.exec('pragma wal_checkpoint(truncate)');
			connection.close();
		},
		prepare(sql) {
			if (!sql.startsWith('select')) {
				assertThere();
			}

			const known = prepared.get(sql);
			if (known) {
				return known;
			}

			// A transaction that reads first and writes then would fail where another process wrote between: it says so at once.
			const prepare = () => adapt(connection.prepare(sql === 'begin' ? 'begin immediate' : sql));
			const statement = sql === 'rollback' ? forgiving(prepare()) : prepare();
			if (prepared.size >= mostPrepared) {
				prepared.clear();
			}

			prepared.set(sql, statement);
			return statement;
		},
	};
}

/**
 * Lets each statement of a connection wait for another process that writes, up to 5 seconds, while everything that needs no
 * database goes on. Those behind the one that waited in vain try once each: a queue of them would wait for minutes.
 */
export function waitForOthers(connection: DatabaseConnection): void {
	const execute = connection.executeQuery.bind(connection);
	// When it was first and last seen that another process writes. Those who only read never wait, and tell nothing of it.
	let busySince = 0;
	let busyAt = Number.NEGATIVE_INFINITY;
	connection.executeQuery = async <Row>(query: CompiledQuery) => {
		for (let wait = 5; ; wait = Math.min(wait * 2, 100)) {
			try {
				const result = await execute<Row>(query);
				busyAt = result.numAffectedRows === undefined ? busyAt : Number.NEGATIVE_INFINITY;
				return result;
			} catch (error) {
				if (!isBusy(error)) {
					throw error;
				}

				const now = performance.now();
				busySince = now - busyAt > longestWait ? now : busySince;
				busyAt = now;
				if (now - busySince > longestWait) {
					throw error;
				}
			}

			await sleep(wait);
		}
	};
}

/** How long a process waits for another that writes, in milliseconds. */
const longestWait = 5000;

/** Throws where a path no longer leads to the file that it leads to now, as SQLite would that could not open it. */
function watch(file: string): () => void {
	if (file === ':memory:') {
		return () => undefined;
	}

	const idOf = () => {
		const found = statSync(file, {throwIfNoEntry: false});
		return found && `${found.dev}:${found.ino}`;
	};
	const id = idOf();
	return () => {
		if (idOf() !== id) {
			throw Object.assign(new Error(`The database file ${file} was removed or replaced.`), {errcode: cannotOpen});
		}
	};
}

/**
 * Holds a file of its own until it is let go, or the process ends, however it does. Undefined where another one holds it.
 * These are locks of the system, so that none is left by a process that was killed, here or in another container.
 */
export function lockFile(file: string): {readonly release: () => void} | undefined {
	const connection = connect(file);
	try {
		connection.exec('begin exclusive');
		return {release: () => connection.close()};
	} catch (error) {
		connection.close();
		if (isBusy(error)) {
			return undefined;
		}

		throw error;
	}
}

/** SQLITE_BUSY and SQLITE_CANTOPEN. */
const busy = 5;
const cannotOpen = 14;

/** `@photostructure/sqlite` gives no code for statements that return rows. */
function isBusy(error: unknown): boolean {
	return (
		error instanceof Error &&
		(('errcode' in error && Number(error.errcode) % 256 === busy) || error.message === 'database is locked')
	);
}

function adapt(statement: Statement) {
	return {
		reader: statement.columns().length > 0,
		all: (values: readonly unknown[]) => statement.all(...values.map(toValue)),
		run: (values: readonly unknown[]) => statement.run(...values.map(toValue)),
		iterate: (values: readonly unknown[]) => statement.iterate(...values.map(toValue)),
	};
}

/**
 * A rollback where SQLite has rolled back by itself, as it does where the disk is full or fails: to complain of that would
 * hide what had happened.
 */
function forgiving(rollback: ReturnType<typeof adapt>) {
	return {
		...rollback,
		run(values: readonly unknown[]) {
			try {
				return rollback.run(values);
			} catch (error) {
				if (error instanceof Error && error.message.includes('no transaction is active')) {
					return {changes: 0, lastInsertRowid: 0};
				}

				throw error;
			}
		},
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
