import type {DatabaseConnection} from 'kysely';
import {isDiskFault} from './fault.ts';
import type {Database} from './tables.ts';

/** How long a caller waits after the disk of the database refused a write. */
export const fullDiskSeconds = 30;

/** What the disk of a database refuses. */
type Refusals = {
	/** Notes what the disk does to statements of a connection. */
	readonly watch: (connection: DatabaseConnection) => void;
	/** Returns whether the disk refused a statement a short while ago, which hasn't succeeded since. Asks nothing of the database. */
	readonly isRecent: () => boolean;
};

export function createRefusals(): Refusals {
	/** When each statement was refused; one that succeeds again has none. */
	const refusedAt = new Map<string, number>();
	return {
		watch(connection) {
			const execute = connection.executeQuery.bind(connection);
			connection.executeQuery = async query => {
				try {
					const result = await execute<never>(query);
					// Another one may need no new space.
					refusedAt.delete(query.sql);
					return result;
				} catch (error) {
					if (isDiskFault(error)) {
						refusedAt.set(query.sql, performance.now());
					}

					throw error;
				}
			};
		},
		// Whoever is told that it isn't ready may never send that statement again.
		isRecent: () => [...refusedAt.values()].some(at => performance.now() - at < fullDiskSeconds * 1000),
	};
}

const refusals = new WeakMap<Database, Refusals>();

/** Keeps what is known of the disk of an open database. */
export function keepRefusals(database: Database, known: Refusals): Database {
	refusals.set(database, known);
	return database;
}

/** Returns whether the disk of an open database refuses writes, as `Refusals` knows it. */
export const refusesWrites = (database: Database): boolean => refusals.get(database)?.isRecent() ?? false;
