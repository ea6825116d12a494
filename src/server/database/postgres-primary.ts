import {createHash} from 'node:crypto';
import type pg from 'pg';
import {isOfHost, isRefusedParameter, readOnlyCode} from './postgres-error.ts';
import type {PostgresHosts} from './postgres-hosts.ts';

/** PostgreSQL cancels statements and idle transactions after this long. */
const defaultStatementTimeoutMs = 20_000;

/** How long a statement waits for what others have locked. Shorter, so that it fails as one that waited. */
const defaultLockTimeoutMs = 10_000;

/** What differs between servers. */
export type ConnectionSettings = {
	readonly statementTimeoutMs?: number | undefined;
	readonly lockTimeoutMs?: number | undefined;
};

/**
 * What every connection starts with. The isolation overrides the database's default: our transactions wait for each other
 * and don't retry serialization failures.
 */
export const startParametersFor = ({
	statementTimeoutMs = defaultStatementTimeoutMs,
	lockTimeoutMs = defaultLockTimeoutMs,
}: ConnectionSettings) => ({
	statement_timeout: statementTimeoutMs,
	lock_timeout: lockTimeoutMs,
	idle_in_transaction_session_timeout: statementTimeoutMs,
	options: '-c default_transaction_isolation=read\\ committed',
});

/** The same for one transaction, where a pooler stands in between. */
const transactionSettingsFor = ({
	statementTimeoutMs = defaultStatementTimeoutMs,
	lockTimeoutMs = defaultLockTimeoutMs,
}: ConnectionSettings) => [
	'begin isolation level read committed',
	`set local statement_timeout = ${statementTimeoutMs}`,
	`set local lock_timeout = ${lockTimeoutMs}`,
	`set local idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
];

/** A connection in use, and what is known of it. */
export type Connected = {
	readonly client: pg.PoolClient;
	/** The statements that begin a transaction. */
	readonly begin: readonly string[];
	/** Undefined where PostgreSQL may not have a plan the next time: a pooler may select another process for each transaction. */
	readonly plans: KeptPlans | undefined;
	/** Whether the host accepted no writes when it was connected to. */
	readonly isReadOnly: boolean;
	/** Connections of an earlier one were made before a failover. */
	readonly generation: number;
};

/** The connections to whichever host accepts writes. */
export type Primary = {
	/** Finds out what a new connection leads to. */
	readonly look: (client: pg.ClientBase) => Promise<void>;
	/** Returns a connection to a host that accepts writes; to another one only if none does, and the URL doesn't ask for it. */
	readonly connect: () => Promise<Connected>;
	/** Whether it was made since the last failover, to a host that accepted writes. */
	readonly isCurrent: (connected: Connected) => boolean;
	/** Closes every connection that is open, each before its next use: the host accepts no writes any more. */
	readonly leave: () => void;
	/** Keeps no plans from now on, because a pooler lost one. */
	readonly dropPlans: () => void;
};

/** Returns the connections of a pool that checks each new one with `look`. */
export function createPrimary(pool: pg.Pool, {urls, mustWrite}: PostgresHosts, settings: ConnectionSettings): Primary {
	const open = new WeakMap<pg.ClientBase, Omit<Connected, 'client'>>();
	let host = 0;
	let generation = 0;
	let keepsPlans = true;
	let sendsParameters = true;
	// Those of a URL replace ours.
	const hasOwnOptions = new URL(urls[0] ?? '').searchParams.has('options');

	/** Tries the host after this one next, unless another connection already does. */
	const skip = (tried: number) => {
		if (host === tried) {
			host = (host + 1) % urls.length;
			pool.options.connectionString = urls[host];
		}
	};

	const look = async (client: pg.ClientBase) => {
		const {rows} = await client.query(
			"select pg_backend_pid() as pid, pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only",
		);
		// A pooler makes up the process that it says at the start, because it has several.
		const isDirect = 'processID' in client && client.processID === rows[0].pid;
		open.set(client, {
			begin: isDirect && sendsParameters && !hasOwnOptions ? ['begin'] : transactionSettingsFor(settings),
			plans: isDirect && keepsPlans ? createKeptPlans() : undefined,
			isReadOnly: rows[0].read_only,
			generation,
		});
	};

	const dropParameters = () => {
		sendsParameters = false;
		for (const name of [
			'statement_timeout',
			'lock_timeout',
			'idle_in_transaction_session_timeout',
			'options',
		] as const) {
			delete pool.options[name];
		}
	};

	const isCurrent = (connected: Connected) => connected.generation === generation && !connected.isReadOnly;

	const connect = async (): Promise<Connected> => {
		for (let skipped = 0; ; ) {
			const tried = host;
			const sent = sendsParameters;
			const client = await pool.connect().catch((error: unknown) => {
				if (sent && isRefusedParameter(error)) {
					dropParameters();
				} else if (skipped < urls.length - 1 && isOfHost(error)) {
					skipped++;
					skip(tried);
				} else {
					throw error;
				}
			});
			const seen = client && open.get(client);
			if (!seen) {
				continue;
			}

			const connected = {...seen, client};
			if (isCurrent(connected)) {
				return connected;
			}

			const isLast = skipped === urls.length - 1;
			if (connected.generation === generation && isLast && !mustWrite) {
				return connected;
			}

			client.release(true);
			if (connected.generation === generation) {
				if (isLast) {
					throw Object.assign(new Error('No host of the database accepts writes.'), {code: readOnlyCode});
				}

				skipped++;
				skip(tried);
			}
		}
	};

	return {
		look,
		connect,
		isCurrent,
		leave() {
			generation++;
		},
		dropPlans() {
			keepsPlans = false;
			generation++;
		},
	};
}

/** A query's plan is kept from this execution on, so that one that comes once costs PostgreSQL no memory. */
const keptFrom = 3;

/** How many queries a connection counts, and so keeps at most. The code has about this many different ones. */
const maxQueries = 500;

/** The plans that PostgreSQL keeps for a connection (named statements). */
type KeptPlans = {
	/** Returns the name of a query's plan, or undefined while the query is rare. Counts one execution. */
	readonly nameOf: (text: string) => string | undefined;
};

/**
 * Lets PostgreSQL parse and plan a query once if it comes again and again, because that takes longer than most queries do.
 * The answer to a query is never kept. A plan's name is made of its query: should a pooler move the connection to another
 * server process, it may miss a plan there, but never gets that of another query.
 */
function createKeptPlans(): KeptPlans {
	const queries = new Map<string, {readonly name: string; executions: number}>();
	return {
		nameOf(text) {
			const known = queries.get(text);
			if (known) {
				known.executions++;
				return known.executions >= keptFrom ? known.name : undefined;
			}

			if (queries.size < maxQueries) {
				const name = `plan-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
				queries.set(text, {name, executions: 1});
			}

			return undefined;
		},
	};
}
