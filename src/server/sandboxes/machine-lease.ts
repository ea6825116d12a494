import {randomUUID} from 'node:crypto';
import {type Selectable, sql} from 'kysely';
import {messageOf} from '../../core/error.ts';
import type {Tables} from '../database/tables.ts';
import type {SandboxServices} from './sandboxing.ts';

type MachineRow = Selectable<Tables['machines']>;

/** How often a server writes that its machine is there, and renews its lease. */
export const heartbeatMs = 10_000;

/** How long a lease lasts without a renewal. */
export const leaseMs = 3 * heartbeatMs;

/** The right of one server to manage the sandboxes of its machine, which it may share with other servers. */
export type MachineLease = {
	/**
	 * Writes that the machine is there, and takes or renews the lease if no other server holds it. Does neither while a
	 * server of another host or data folder has the lease, as for a copy of a data folder. The lease of a server whose
	 * process has ended for sure is free at once.
	 */
	readonly renew: () => Promise<void>;
	/** Returns whether this server holds the lease now. */
	readonly isHeld: () => boolean;
	/** Returns since when processes of sandboxes that others ended may be left, once for each heartbeat; null if none are. */
	readonly takeFreedAt: () => string | null;
	/** Ends the lease, so that another server takes it with its next heartbeat. */
	readonly release: () => Promise<void>;
};

/** The server that asks for a lease, as others find it. */
export type LeaseHolder = {
	/** Changes with each start. */
	readonly id: string;
	/** Where other servers reach it, without a trailing slash; null if they can't. */
	readonly address: string | null;
};

/** Creates the lease of a machine. `elapsedMs` is a clock in milliseconds that is never set. */
export function createMachineLease(
	{database, sandboxes, now, log}: SandboxServices,
	{id: server, address}: LeaseHolder = {id: randomUUID(), address: null},
	elapsedMs: () => number = () => performance.now(),
): MachineLease {
	/** When it was renewed, by the clock that servers share, and by one that is never set. */
	let renewed = {atMs: 0, elapsedMs: Number.NEGATIVE_INFINITY};
	let freedAt: string | null = null;
	let isCopy = false;
	let announced: Promise<void> | undefined;
	/** Frees the lease if its holder has ended without doing so: it was killed, or the database is older than its end. */
	const freeEnded = async (machine: string) => {
		const {held_by: holder} =
			(await database.selectFrom('machines').select('held_by').where('id', '=', machine).executeTakeFirst()) ?? {};
		if (!holder || !sandboxes.processes.hasEnded(holder)) {
			return false;
		}

		const {numUpdatedRows} = await database
			.updateTable('machines')
			.set({held_by: null, held_until: null})
			.where('id', '=', machine)
			.where('held_by', '=', holder)
			.executeTakeFirst();
		return numUpdatedRows > 0n;
	};

	return {
		async renew() {
			const machine = await sandboxes.provider.machine();
			announced ??= sandboxes.processes.announce(server).catch(error => {
				log({level: 'warn', message: 'process of the server', error: messageOf(error)});
			});
			await announced;
			const atMs = now().getTime();
			const begunMs = elapsedMs();
			const by = {server, host: sandboxes.host, folder: await sandboxes.folderId(), address, atMs};
			const write = async () => (await writeHeartbeat(machine, by).execute(database)).rows[0];
			const first = await write();
			const row = first?.held_by !== server && (await freeEnded(machine)) ? await write() : first;
			renewed = {atMs, elapsedMs: row?.held_by === server ? begunMs : Number.NEGATIVE_INFINITY};
			freedAt = row?.freed_at ?? null;
			if (!row && !isCopy) {
				log({level: 'error', message: 'machine id in use by another data folder', machine});
			}

			isCopy = !row;
		},
		isHeld() {
			// Others take it for free once the clock was set on, or back.
			const sinceMs = now().getTime() - renewed.atMs;
			return sinceMs >= 0 && sinceMs < leaseMs && elapsedMs() - renewed.elapsedMs < leaseMs;
		},
		takeFreedAt() {
			const taken = freedAt;
			freedAt = null;
			return taken;
		},
		async release() {
			renewed = {atMs: 0, elapsedMs: Number.NEGATIVE_INFINITY};
			await database
				.updateTable('machines')
				.set({held_by: null, held_until: null})
				.where('id', '=', await sandboxes.provider.machine())
				.where('held_by', '=', server)
				.execute();
		},
	};
}

type Writer = {
	readonly server: string;
	readonly host: string;
	readonly folder: string;
	readonly address: string | null;
	readonly atMs: number;
};

/**
 * Returns the heartbeat of a machine as one statement, so that of servers that ask at once one gets the lease. They share
 * a clock. If it was set back, leases of the future don't count.
 */
function writeHeartbeat(machine: string, {server, host, folder, address, atMs}: Writer) {
	const [at, until, latest] = [atMs, atMs + leaseMs, atMs + 2 * leaseMs].map(ms => new Date(ms).toISOString());
	const isFree = sql`machines.held_by is null or machines.held_by = excluded.held_by
		or machines.held_until not between excluded.seen_at and ${latest}`;
	return sql<
		Pick<MachineRow, 'held_by' | 'freed_at'>
	>`insert into machines (id, host, folder, seen_at, held_by, held_until, freed_at, address)
		values (${machine}, ${host}, ${folder}, ${at}, ${server}, ${until}, ${at}, ${address})
		on conflict (id) do update set host = excluded.host, folder = excluded.folder, seen_at = excluded.seen_at,
			held_by = case when ${isFree} then excluded.held_by else machines.held_by end,
			held_until = case when ${isFree} then excluded.held_until else machines.held_until end,
			address = case when ${isFree} then excluded.address else machines.address end
		where (machines.host in (excluded.host, '') and machines.folder in (excluded.folder, '')) or ${isFree}
		returning held_by, freed_at`;
}
