import {Socket} from 'node:net';
import type {PostgresPool} from 'kysely';
import pg from 'pg';
import type {DatabaseLocation} from './location.ts';
import {postgresHosts} from './postgres-hosts.ts';
import {createPrimary, startParameters} from './postgres-primary.ts';
import {createSession} from './postgres-session.ts';

const maxConnections = 10;

/** Longer than a statement may take and than a connection may idle: by then the network has failed without an error. */
const defaultAnswerTimeoutMs = 25_000;

/** PostgreSQL's type id for 64-bit integers. `pg` returns them as text, but all of ours fit a number. */
const bigintType = 20;

/**
 * Creates a pool of connections to a PostgreSQL server, or a pooler in front of one. It connects with the first query. After
 * a failover it connects to the host that then accepts writes.
 */
export function openPostgres(
	{url, answerTimeoutMs = defaultAnswerTimeoutMs}: DatabaseLocation & {engine: 'postgres'},
	onLost: (error: Error) => void,
): PostgresPool {
	const hosts = postgresHosts(url) ?? {urls: [url], mustWrite: false};
	const pool: pg.Pool = new pg.Pool({
		...startParameters,
		connectionString: hosts.urls[0],
		max: maxConnections,
		connectionTimeoutMillis: Math.min(5000, answerTimeoutMs),
		stream: () => {
			const socket = new Socket();
			return socket.setTimeout(answerTimeoutMs, () =>
				socket.destroy(Object.assign(new Error('The database is silent.'), {code: 'ETIMEDOUT'})),
			);
		},
		types: {getTypeParser: (id, format) => (id === bigintType ? Number : pg.types.getTypeParser(id, format))},
		// The pool waits for it.
		onConnect: client => primary.look(client),
	});
	// A lost connection must not end the process: the next query opens another. The pool reports a lost idle connection.
	// If one in use is lost, its query fails, and Node would treat the unhandled event as a bug.
	pool.on('error', onLost);
	pool.on('connect', client => client.on('error', () => undefined));
	const primary = createPrimary(pool, hosts);
	return {connect: async () => createSession(primary, await primary.connect()), end: () => pool.end()};
}
