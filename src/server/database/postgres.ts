import pg from 'pg';

/** Most connections of this process. */
const mostConnections = 10;

/** PostgreSQL's 64-bit whole numbers, which `pg` gives as text; ours all fit a number. */
const bigint = 20;

/** A pool of connections to a PostgreSQL server. Nothing is asked of it before the first query. */
export function openPostgres(url: string, onLost: (error: Error) => void): pg.Pool {
	const pool = new pg.Pool({
		connectionString: url,
		max: mostConnections,
		connectionTimeoutMillis: 5000,
		statement_timeout: 30_000,
		idle_in_transaction_session_timeout: 30_000,
		types: {getTypeParser: (id, format) => (id === bigint ? Number : pg.types.getTypeParser(id, format))},
	});
	// A connection that is lost must not end the process: the next query opens another. While it idles the pool tells of
	// it; while somebody works with it his query fails, and the event is for nobody, which Node takes for a bug.
	pool.on('error', onLost);
	pool.on('connect', client => client.on('error', () => undefined));
	return pool;
}
