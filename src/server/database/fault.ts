/** Result codes of SQLite that are the machine's fault and not ours: busy, read-only, I/O, damaged, full, cannot open, no database. */
const sqliteFaults = new Set([5, 6, 8, 10, 11, 13, 14, 26]);

/** SQLite's own words for the same codes: `@photostructure/sqlite` gives no code for statements that return rows. */
const sqliteWords =
	/database (?:table )?is locked|attempt to write a readonly database|disk I\/O error|database or disk is full|unable to open database file|database disk image is malformed|file is not a database/;

/**
 * Classes of PostgreSQL's error codes (appendix A of its manual): connection, log-in, no such database, a transaction that
 * lost against another, resources, operator intervention, system.
 */
const postgresClasses = new Set(['08', '28', '3D', '40', '53', '57', '58']);

/** Codes of other classes: a standby or a full disk takes no writes, the database takes no connections. */
const postgresCodes = new Set(['25006', '55000']);

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

/** Words of `pg` and kysely for what has no code: a pool that waits in vain, a connection that ended, a server that ends. */
const poolFault =
	/timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|driver has already been destroyed/;

/** Whether a database failed for a reason that lies outside of the program: it is gone, full, or held by another process. */
export function isDatabaseFault(error: unknown): boolean {
	if (!(error instanceof Error)) {
		return false;
	}

	const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
	const sqlite = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
	return (
		sqliteFaults.has(sqlite) ||
		(code === 'ERR_SQLITE_ERROR' && sqliteWords.test(error.message)) ||
		socketFaults.has(code) ||
		// A socket of this machine is a file, which is not there while PostgreSQL is not.
		('syscall' in error && error.syscall === 'connect') ||
		(/^[0-9A-Z]{5}$/.test(code) && (postgresClasses.has(code.slice(0, 2)) || postgresCodes.has(code))) ||
		poolFault.test(error.message)
	);
}
