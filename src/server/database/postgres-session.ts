import type {PostgresCursor, PostgresPoolClient, PostgresQueryResult} from 'kysely';
import {markUncertain} from './fault.ts';
import {isBroken, isLost, isMovedPlan, isReadOnly, isStalePlan, mayHaveRun} from './postgres-error.ts';
import type {Connected, Primary} from './postgres-primary.ts';

/** The result of a statement that returns nothing. */
const nothing = {command: 'ROLLBACK', rowCount: 0, rows: []} as const;

/**
 * Returns a connection for one task of kysely, which a failover replaces where that can't do harm: before a transaction
 * begins, and for a single statement that wasn't executed or only reads. A broken or read-only connection is closed, not
 * returned to the pool.
 */
export function createSession(primary: Primary, first: Connected): PostgresPoolClient {
	let connected = first;
	let isInTransaction = false;
	let isOver = false;
	let isReleased = false;

	const note = (error: unknown) => {
		if (isReadOnly(error)) {
			primary.leave();
		} else if (isMovedPlan(error)) {
			primary.dropPlans();
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
			const wasNotExecuted = isReadOnly(error) || isMovedPlan(error);
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
		},
	};
}
