import {Socket} from 'node:net';
import type {PostgresPool} from 'kysely';
import pg from 'pg';
import {keepPlans} from './kept-plans.ts';
import type {DatabaseLocation} from './location.ts';

const maxConnections = 10;

/** PostgreSQL cancels statements and idle transactions after this long. */
const statementTimeoutMs = 20_000;

/** Longer than a statement may take and than a connection may idle: by then the network has failed without an error. */
const defaultAnswerTimeoutMs = 25_000;

/** PostgreSQL's type id for 64-bit integers. `pg` returns them as text, but all of ours fit a number. */
const bigintType = 20;

/** Creates a pool of connections to a PostgreSQL server. It connects with the first query. */
export function openPostgres(
	{url, answerTimeoutMs = defaultAnswerTimeoutMs}: DatabaseLocation & {engine: 'postgres'},
	onLost: (error: Error) => void,
): PostgresPool {
	const pool = new pg.Pool({
		connectionString: url,
		max: maxConnections,
		connectionTimeoutMillis: Math.min(5000, answerTimeoutMs),
		statement_timeout: statementTimeoutMs,
		idle_in_transaction_session_timeout: statementTimeoutMs,
		// Overrides the database's default: our transactions wait for each other and don't retry serialization
		// failures.
		options: '-c default_transaction_isolation=read\\ committed',
		stream: () => {
			const socket = new Socket();
			return socket.setTimeout(answerTimeoutMs, () =>
				socket.destroy(Object.assign(new Error('The database is silent.'), {code: 'ETIMEDOUT'})),
			);
		},
		types: {getTypeParser: (id, format) => (id === bigintType ? Number : pg.types.getTypeParser(id, format))},
	});
	// A lost connection must not end the process: the next query opens another. The pool reports a lost idle connection.
	// If one in use is lost, its query fails, and Node would treat the unhandled event as a bug.
	pool.on('error', onLost);
	pool.on('connect', client => client.on('error', () => undefined));
	return {connect: async () => keepPlans(await pool.connect()), end: () => pool.end()};
}
