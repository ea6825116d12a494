import type {PostgresCursor, PostgresPoolClient, PostgresQueryResult} from 'kysely';
import type {PoolClient} from 'pg';

/** A query's plan is kept from this execution on, so that one that comes once costs PostgreSQL no memory. */
const keptFrom = 3;

/** How many queries a connection counts, and so keeps at most. The code has about this many different ones. */
const maxQueries = 500;

/** PostgreSQL's codes for a kept plan whose tables were changed, and for one that it no longer has. */
const staleCodes: readonly unknown[] = ['0A000', '26000'];

const connections = new WeakMap<PoolClient, PostgresPoolClient>();

/**
 * Returns a connection on which PostgreSQL parses and plans a query once if it comes again and again, because that takes
 * longer than most queries do (named statements). The answer to a query is never kept.
 */
export function keepPlans(client: PoolClient): PostgresPoolClient {
	const connection = connections.get(client) ?? new PlannedConnection(client);
	connections.set(client, connection);
	return connection;
}

class PlannedConnection implements PostgresPoolClient {
	readonly #client: PoolClient;
	readonly #queries = new Map<string, {readonly name: string; executions: number}>();
	#isStale = false;

	constructor(client: PoolClient) {
		this.#client = client;
	}

	query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
	query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
	query(text: unknown, values: readonly unknown[] = []): unknown {
		if (typeof text !== 'string') {
			throw new TypeError('No query here reads through a cursor.');
		}

		const name = values.length > 0 ? this.#planOf(text) : undefined;
		return this.#client.query({text, values: [...values], ...(name && {name})}).catch(error => {
			this.#isStale ||= staleCodes.includes(error.code);
			throw error;
		});
	}

	/** Closes the connection if a plan was stale: the next one makes its own. */
	release(): void {
		this.#client.release(this.#isStale);
	}

	/** Returns the name of a query's plan, or undefined while the query is rare. */
	#planOf(text: string): string | undefined {
		const known = this.#queries.get(text);
		if (known) {
			known.executions++;
			return known.executions >= keptFrom ? known.name : undefined;
		}

		if (this.#queries.size < maxQueries) {
			this.#queries.set(text, {name: `plan-${this.#queries.size}`, executions: 1});
		}

		return undefined;
	}
}
