import {Socket} from 'node:net';
import pg from 'pg';
import type {DatabaseLocation} from './place.ts';

/** Most connections of this process. */
const mostConnections = 10;

/** How long one statement may take, and how long a transaction may stand still, in milliseconds: the server ends it then. */
const longest = 20_000;

/** Longer than that, and than a connection idles: the network between has failed, and nobody would ever say so. */
const defaultAnswerTimeoutMs = 25_000;

/** PostgreSQL's 64-bit whole numbers, which `pg` gives as text; ours all fit a number. */
const bigint = 20;

/** A pool of connections to a PostgreSQL server. Nothing is asked of it before the first query. */
export function openPostgres(
	{url, answerTimeoutMs = defaultAnswerTimeoutMs}: DatabaseLocation & {engine: 'postgres'},
	onLost: (error: Error) => void,
): pg.Pool {
	const pool = new pg.Pool({
		connectionString: url,
		max: mostConnections,
		connectionTimeoutMillis: Math.min(5000, answerTimeoutMs),
		statement_timeout: longest,
		idle_in_transaction_session_timeout: longest,
		// Whatever the database has by default: our transactions wait for each other, and do not expect to be refused.
		options: '-c default_transaction_isolation=read\\ committed',
		stream: () => {
			const socket = new Socket();
			return socket.setTimeout(answerTimeoutMs, () =>
				socket.destroy(Object.assign(new Error('The database is silent.'), {code: 'ETIMEDOUT'})),
			);
		},
		types: {getTypeParser: (id, format) => (id === bigint ? Number : pg.types.getTypeParser(id, format))},
	});
	// A lost connection must not end the process: the next query opens another. The pool reports a lost idle connection.
	// If one in use is lost, its query fails, and Node would treat the unhandled event as a bug.
	pool.on('error', onLost);
	pool.on('connect', client => client.on('error', () => undefined));
	return pool;
}
