import {statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {setTimeout as sleep} from 'node:timers/promises';
import type {CompiledQuery, DatabaseConnection, SqliteDatabase} from 'kysely';
import {isLockTimeout} from './fault.ts';

type Value = null | number | string | Uint8Array;

/** The part of `node:sqlite` that we use; `@photostructure/sqlite` has the same interface. */
type Written = {changes: number | bigint; lastInsertRowid: number | bigint};

type Statement = {
	columns: () => readonly unknown[];
	all: (...values: Value[]) => unknown[];
	run: (...values: Value[]) => Written;
	iterate: (...values: Value[]) => IterableIterator<unknown>;
};

type Connection = {exec: (sql: string) => void; prepare: (sql: string) => Statement; close: () => void};

/** How many prepared statements are cached. The code has about this many different queries. */
const maxPrepared = 500;

/**
 * Opens a SQLite file, and creates it if it is missing. Committed data is on disk (`synchronous=FULL`), and readers in
 * other processes don't wait for writers (WAL). Writes fail once the file was removed or replaced, because they would
 * be lost. With `isReadOnly` it changes nothing.
 */
export function openSqlite(file: string, {isReadOnly = false} = {}): SqliteDatabase {
	const connection = connect(file, isReadOnly);
	connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
	if (!isReadOnly) {
		connection.exec('pragma journal_mode = wal');
		connection.exec('pragma synchronous = full');
		connection.exec('pragma foreign_keys = on');
	}

	// From here on `retryWhileBusy` waits, which doesn't block the event loop.
	connection.exec('pragma busy_timeout = 0');
	const assertSameFile = createSameFileCheck(file);

	const prepared = new Map<string, AdaptedStatement>();
	return {
		close() {
			// SQLite skips the checkpoint on close while cached statements are open.
			if (!isReadOnly) {
				connection.exec('pragma wal_checkpoint(truncate)');
			}

			connection.close();
		},
		prepare(sql) {
			if (!sql.startsWith('select')) {
				assertSameFile();
			}

			const known = prepared.get(sql);
			if (known) {
				return known;
			}

			// `begin immediate`: a transaction that reads first and writes later fails at once if another process wrote
			// in between.
			const prepare = () => adapt(connection.prepare(sql === 'begin' ? 'begin immediate' : sql));
			const statement = sql === 'rollback' ? ignoringMissingTransaction(prepare()) : prepare();
			if (prepared.size >= maxPrepared) {
				prepared.clear();
			}

			prepared.set(sql, statement);
			return statement;
		},
	};
}

/**
 * Retries each statement of a connection for up to 5 seconds while another process writes, without blocking the
 * event loop. Once one statement has timed out, the ones queued behind it try only once each; otherwise a long queue
 * would wait for minutes.
 */
export function retryWhileBusy(connection: DatabaseConnection): void {
	const execute = connection.executeQuery.bind(connection);
	// The first and the last time that the database was busy. Reads never wait, so they say nothing about that.
	let busySince = 0;
	let busyAt = Number.NEGATIVE_INFINITY;
	connection.executeQuery = async <Row>(query: CompiledQuery) => {
		for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 100)) {
			try {
				const result = await execute<Row>(query);
				busyAt = result.numAffectedRows === undefined ? busyAt : Number.NEGATIVE_INFINITY;
				return result;
			} catch (error) {
				if (!isLockTimeout(error)) {
					throw error;
				}

				const now = performance.now();
				busySince = now - busyAt > busyTimeoutMs ? now : busySince;
				busyAt = now;
				if (now - busySince > busyTimeoutMs) {
					throw error;
				}
			}

			await sleep(delayMs);
		}
	};
}

/** How long a process waits for another process to finish writing. */
const busyTimeoutMs = 5000;

/** Returns a function that throws SQLite's “cannot open” error once the path no longer leads to the same file. */
function createSameFileCheck(file: string): () => void {
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
			throw Object.assign(new Error(`The database file ${file} was removed or replaced.`), {errcode: sqliteCantOpen});
		}
	};
}

/** A lock that this process holds on a file. */
export type FileLock = {readonly release: () => void};

/**
 * Locks a file until it is released or the process ends in any way. Returns undefined if another process holds the
 * lock. The operating system releases it when the process is killed, here or in another container.
 */
export function lockFile(file: string): FileLock | undefined {
	const connection = connect(file);
	try {
		connection.exec('begin exclusive');
		return {release: () => connection.close()};
	} catch (error) {
		connection.close();
		if (isLockTimeout(error)) {
			return undefined;
		}

		throw error;
	}
}

/** SQLITE_CANTOPEN. */
const sqliteCantOpen = 14;

type AdaptedStatement = {
	readonly reader: boolean;
	readonly all: (values: readonly unknown[]) => unknown[];
	readonly run: (values: readonly unknown[]) => Written;
	readonly iterate: (values: readonly unknown[]) => IterableIterator<unknown>;
};

function adapt(statement: Statement): AdaptedStatement {
	return {
		reader: statement.columns().length > 0,
		all: (values: readonly unknown[]) => statement.all(...values.map(toValue)),
		run: (values: readonly unknown[]) => statement.run(...values.map(toValue)),
		iterate: (values: readonly unknown[]) => statement.iterate(...values.map(toValue)),
	};
}

/**
 * Ignores the error of a rollback that SQLite has already done, as it does if the disk is full or fails. That error
 * would hide the original one.
 */
function ignoringMissingTransaction(rollback: AdaptedStatement): AdaptedStatement {
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
	if (value === null || typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) {
		return value;
	}

	throw new TypeError(`A ${typeof value} cannot be stored.`);
}

/** Returns Node's own module from Node 24 on. Earlier versions lack it or print an experimental warning. */
function connect(file: string, isReadOnly = false): Connection {
	const require = createRequire(import.meta.url);
	const isBuiltIn = Number.parseInt(process.versions.node, 10) >= 24;
	const {DatabaseSync} = require(isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite');
	return new DatabaseSync(file, {readOnly: isReadOnly});
}
