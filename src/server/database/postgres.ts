import {Socket} from 'node:net';
import type {PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult} from 'kysely';
import pg from 'pg';
import {createConnectionQueue} from './connection-queue.ts';
import {markUncertain} from './fault.ts';
import type {DatabaseLocation} from './location.ts';
import {isBroken, isLost, isMovedPlan, isReadOnly, isStalePlan, mayHaveRun} from './postgres-error.ts';
import {postgresHosts} from './postgres-hosts.ts';
import {type Connected, createPrimary, type Primary, startParametersFor} from './postgres-primary.ts';

/** How many connections a server opens, by default. */
export const defaultConnections = 10;

/** Longer than a statement may take and than a connection may idle: by then the network has failed without an error. */
const defaultAnswerTimeoutMs = 25_000;

/** The connections of a pool, and how many tasks wait for one. */
export type PoolCounts = {readonly total: number; readonly idle: number; readonly waiting: number};

/** How long a new connection may take, and how long none of a full pool may become free. */
const connectTimeoutMs = 5000;

/** PostgreSQL's type id for 64-bit integers. `pg` returns them as text, but all of ours fit a number. */
const bigintType = 20;

/**
 * Creates a pool of connections to a PostgreSQL server, or a pooler in front of one. It connects with the first query. After
 * a failover it connects to the host that then accepts writes.
 */
export function openPostgres(
	location: DatabaseLocation & {engine: 'postgres'},
	onLost: (error: Error) => void,
): PostgresPool & {readonly counts: () => PoolCounts} {
	const {url, answerTimeoutMs = defaultAnswerTimeoutMs, connections = defaultConnections} = location;
	const timeoutMs = Math.min(connectTimeoutMs, answerTimeoutMs || connectTimeoutMs);
	const hosts = postgresHosts(url) ?? {urls: [url], mustWrite: false};
	// The pool's own queue would give up on whoever waits for long, however fast it moves.
	const {enter, leave, waiting} = createConnectionQueue(connections, timeoutMs);
	const pool: pg.Pool = new pg.Pool({
		...startParametersFor(location),
		connectionString: hosts.urls[0],
		max: connections,
		connectionTimeoutMillis: timeoutMs,
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
	const primary = createPrimary(pool, hosts, location);
	return {
		async connect() {
			await enter();
			try {
				return createSession(primary, await primary.connect(), leave);
			} catch (error) {
				leave();
				throw error;
			}
		},
		end: () => pool.end(),
		counts: () => ({total: pool.totalCount, idle: pool.idleCount, waiting: waiting()}),
	};
}

/** The result of a statement that returns nothing. */
const nothing = {command: 'ROLLBACK', rowCount: 0, rows: []} as const;

/**
 * Returns a connection for one task of kysely, which a failover replaces where that can't do harm: before a transaction
 * begins, and for a single statement that wasn't executed or only reads. A broken or read-only connection is closed, not
 * returned to the pool.
 */
function createSession(primary: Primary, first: Connected, onRelease: () => void): PostgresPoolClient {
	let connected = first;
	let isInTransaction = false;
	let isOver = false;
	let isReleased = false;

	const note = (error: unknown) => {
		if (isReadOnly(error)) {
			primary.leave();
		} else if (isMovedPlan(error)) {
			primary.dropPlans();
		} else if (isStalePlan(error)) {
			// A migration has changed a table, so that the other connections have plans like it.
			primary.leave();
		}

		isOver ||= isLost(error) || isStalePlan(error);
	};

	const run = async (text: string, values: readonly unknown[]) => {
		const name = values.length > 0 ? connected.plans?.nameOf(text) : undefined;
		try {
			return await connected.client.query({text, values: [...values], ...(name !== undefined && {name})});
		} catch (error) {
			note(error);
			throw error;
		}
	};

	/** Closes this connection and takes another one. */
	const replace = async () => {
		connected.client.release(true);
		try {
			connected = await primary.connect();
			isOver = false;
		} catch (error) {
			isReleased = true;
			throw error;
		}
	};

	const begin = async () => {
		const results = await run([...connected.begin, 'show transaction_read_only'].join('; '), []);
		const last = [results].flat().at(-1);
		isInTransaction = true;
		return last?.rows[0]?.transaction_read_only === 'on';
	};

	/** Nothing was done before, so that the transaction can begin elsewhere. */
	const beginWhereWritesAre = async () => {
		const isRefused = await begin().catch(async error => {
			if (!isBroken(error)) {
				throw error;
			}

			await replace();
			return begin();
		});
		if (isRefused && !connected.isReadOnly) {
			primary.leave();
			await replace();
			await begin();
		}

		return nothing;
	};

	const statement = async (text: string, values: readonly unknown[]) => {
		const reads = /^\s*select\b/i.test(text);
		try {
			return await run(text, values);
		} catch (error) {
			const wasNotExecuted = isReadOnly(error) || isStalePlan(error);
			if (!wasNotExecuted && !(reads && isBroken(error))) {
				throw !reads && mayHaveRun(error) ? markUncertain(error) : error;
			}

			await replace();
			return await run(text, values);
		}
	};

	const finish = async (text: string) => {
		isInTransaction = false;
		try {
			return await run(text, []);
		} catch (error) {
			isOver = true;
			// A transaction ends with its connection, and the error that ended it says why.
			if (text === 'rollback') {
				return nothing;
			}

			throw mayHaveRun(error) ? markUncertain(error) : error;
		}
	};

	function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
	function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
	function query(text: unknown, values: readonly unknown[] = []): unknown {
		if (typeof text !== 'string') {
			throw new TypeError('No query here reads through a cursor.');
		}

		if (text === 'begin') {
			return beginWhereWritesAre();
		}

		if (text === 'commit' || text === 'rollback') {
			return finish(text);
		}

		return isInTransaction ? run(text, values) : statement(text, values);
	}

	return {
		query,
		release() {
			if (!isReleased) {
				connected.client.release(isOver || isInTransaction || !primary.isCurrent(connected));
			}

			onRelease();
		},
	};
}
