import {sql} from 'kysely';
import type {Database} from './tables.ts';

/** A periodic work of all servers on a database, of which one does it. */
type Sweep = {
	readonly name: string;
	/** The server that asks. */
	readonly server: string;
	readonly nowMs: number;
	/** How long nobody else does it without a renewal. */
	readonly leaseMs: number;
};

/**
 * Returns whether this server has the lease of a sweep now: takes or renews it in one statement, so that of servers that ask
 * at once one gets it. A lease of another clock that is far ahead doesn't count.
 */
export async function takeSweep(database: Database, {name, server, nowMs, leaseMs}: Sweep): Promise<boolean> {
	const [at, until, latest] = [nowMs, nowMs + leaseMs, nowMs + 2 * leaseMs].map(ms => new Date(ms).toISOString());
	const {rows} = await sql<{held_by: string}>`insert into sweeps (name, held_by, held_until)
		values (${name}, ${server}, ${until})
		on conflict (name) do update set held_by = excluded.held_by, held_until = excluded.held_until
		where sweeps.held_by = excluded.held_by or sweeps.held_until not between ${at} and ${latest}
		returning held_by`.execute(database);
	return rows.length > 0;
}

/** Ends a lease, so that a server that is started next need not wait for its time. */
export async function endSweep(database: Database, {name, server}: Pick<Sweep, 'name' | 'server'>): Promise<void> {
	await database.deleteFrom('sweeps').where('name', '=', name).where('held_by', '=', server).execute();
}
