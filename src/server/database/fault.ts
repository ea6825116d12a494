/** Result codes of SQLite that are the machine's fault and not ours: busy, read-only, I/O, full, cannot open. */
const sqliteFaults = new Set([5, 6, 8, 10, 13, 14]);

/** Classes of PostgreSQL's error codes: connection, resources, operator intervention, system (appendix A of its manual). */
const postgresFaults = new Set(['08', '53', '57', '58']);

const socketFaults = new Set([
	'ECONNREFUSED',
	'ECONNRESET',
	'EPIPE',
	'ENOTFOUND',
	'ETIMEDOUT',
	'EHOSTUNREACH',
	'ENOSPC',
]);

/** Words of `pg` for what has no code: a pool that waits in vain, a connection that ended under a query. */
const poolFault =
	/timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

/** Whether a database failed for a reason that lies outside of the program: it is gone, full, or held by another process. */
export function isDatabaseFault(error: unknown): boolean {
	if (!(error instanceof Error)) {
		return false;
	}

	const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
	const sqlite = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
	return (
		sqliteFaults.has(sqlite) ||
		socketFaults.has(code) ||
		(/^[0-9A-Z]{5}$/.test(code) && postgresFaults.has(code.slice(0, 2))) ||
		poolFault.test(error.message)
	);
}
