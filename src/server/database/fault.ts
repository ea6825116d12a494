/** SQLITE_BUSY: another process writes. */
const sqliteBusy = 5;

/**
 * SQLite result codes for faults outside the program: busy, read-only, I/O error, corrupt, full, can't open, not a
 * database.
 */
const sqliteFaults = new Set([sqliteBusy, 6, 8, 10, 11, 13, 14, 26]);

/** SQLite's messages for the same codes: `@photostructure/sqlite` reports no code for statements that return rows. */
const sqliteMessages =
	/database (?:table )?is locked|attempt to write a readonly database|disk I\/O error|database or disk is full|unable to open database file|database disk image is malformed|file is not a database/;

/**
 * Classes of PostgreSQL error codes (appendix A of its manual): connection, authentication, missing database,
 * serialization failure, resources, operator intervention, system.
 */
const postgresClasses = new Set(['08', '28', '3D', '40', '53', '57', '58']);

/**
 * Codes from other classes: a standby or a full disk accepts no writes, a row is locked for too long, the database accepts no connections, or a pooler lost
 * what the connection had (a transaction that idled, a named statement).
 */
const postgresCodes = new Set(['25006', '25P03', '55000', '55P03', '26000', '42P05']);

const socketFaults = new Set([
	'ECONNREFUSED',
	'ECONNRESET',
	'EPIPE',
	'ENOTFOUND',
	'EAI_AGAIN',
	'ETIMEDOUT',
	'EHOSTUNREACH',
	'ENOSPC',
]);

/** Messages of `pg` and kysely for errors without a code: a pool timeout, a lost connection, a shutdown. */
const poolMessages =
	/timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|driver has already been destroyed/;

/**
 * Returns whether a database failed for a reason outside the program: unreachable, full, or locked by another process.
 */
export function isDatabaseFault(error: unknown): boolean {
	if (!(error instanceof Error)) {
		return false;
	}

	const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
	const sqlite = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
	return (
		sqliteFaults.has(sqlite) ||
		(code === 'ERR_SQLITE_ERROR' && sqliteMessages.test(error.message)) ||
		socketFaults.has(code) ||
		// A Unix socket is a file that doesn't exist while PostgreSQL is down.
		('syscall' in error && error.syscall === 'connect') ||
		(/^[0-9A-Z]{5}$/.test(code) && (postgresClasses.has(code.slice(0, 2)) || postgresCodes.has(code))) ||
		poolMessages.test(error.message)
	);
}

/**
 * Returns whether a statement waited for too long for what another one has locked, and did nothing: a row on PostgreSQL
 * (`lock_timeout`), the whole file on SQLite.
 */
export function isLockTimeout(error: unknown): boolean {
	return (
		error instanceof Error &&
		(('code' in error && error.code === '55P03') ||
			('errcode' in error && Number(error.errcode) % 256 === sqliteBusy) ||
			error.message === 'database is locked')
	);
}

/** Returns whether a database accepts no writes: a standby, or a file that may only be read. */
export function isReadOnlyFault(error: unknown): boolean {
	return (
		error instanceof Error &&
		(('code' in error && error.code === '25006') || /attempt to write a readonly database/.test(error.message))
	);
}

/** Returns whether the disk of a database is full or fails. */
export function isDiskFault(error: unknown): boolean {
	return (
		error instanceof Error &&
		(('code' in error && ['53100', '58030'].includes(String(error.code))) ||
			/database or disk is full|disk I\/O error/.test(error.message))
	);
}

const uncertain = new WeakSet<Error>();

/** Marks the loss of a connection whose last statement may have been executed, and returns it. */
export function markUncertain(error: unknown): unknown {
	if (error instanceof Error) {
		uncertain.add(error);
	}

	return error;
}

/** Returns whether a change may have been saved although it failed. */
export function isUncertain(error: unknown): boolean {
	return error instanceof Error && uncertain.has(error);
}
