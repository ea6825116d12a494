import {createHash} from 'node:crypto';

/** A query's plan is kept from this execution on, so that one that comes once costs PostgreSQL no memory. */
const keptFrom = 3;

/** How many queries a connection counts, and so keeps at most. The code has about this many different ones. */
const maxQueries = 500;

/** The plans that PostgreSQL keeps for a connection (named statements). */
export type KeptPlans = {
	/** Returns the name of a query's plan, or undefined while the query is rare. Counts one execution. */
	readonly nameOf: (text: string) => string | undefined;
};

/**
 * Lets PostgreSQL parse and plan a query once if it comes again and again, because that takes longer than most queries do.
 * The answer to a query is never kept. A plan's name is made of its query: should a pooler move the connection to another
 * server process, it may miss a plan there, but never gets that of another query.
 */
export function createKeptPlans(): KeptPlans {
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
