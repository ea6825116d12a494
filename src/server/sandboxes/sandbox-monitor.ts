import {randomUUID} from 'node:crypto';
import {takeSweep} from '../database/sweep-lease.ts';
import {repeat} from '../kit/repeat.ts';
import {logStoreOf, removeLogObjects} from './log-store.ts';
import {endFreed, watchMachines} from './lost-machines.ts';
import {createMachineLease, heartbeatMs, type LeaseHolder, leaseMs, type MachineLease} from './machine-lease.ts';
import {endOrphans} from './orphans.ts';
import {createSweep, logFault} from './sandbox-sweep.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How often sandboxes are checked for their end and their deadline. */
const intervalMs = 2000;

/** How often all sandboxes of the machine are read, to find those that the checks don't know. */
const lookAtAllMs = 60_000;

/** How often the sandboxes of an engine are compared with the database. */
const orphanMs = 30_000;

/** How many logs of ended sandboxes are removed in one pass. */
const maxRemoved = 20;

/**
 * Manages the sandboxes of this machine until it is closed, also those of an earlier server. Of several servers on the
 * machine, one does. Of all servers on the database, one looks for lost machines.
 */
export function monitorSandboxes(
	services: SandboxServices,
	holder?: LeaseHolder,
): {readonly close: () => Promise<void>} {
	const {database, now} = services;
	const lease = createMachineLease(services, holder);
	const server = randomUUID();
	const freeLost = watchMachines(services);
	// A check may take long, because it waits for processes to end; heartbeats don't wait for it.
	const every = (everyMs: number) => ({log: services.log, message: 'sandboxes', everyMs});
	const heartbeat = repeat(every(heartbeatMs), async () => {
		await lease.renew();
		const sweep = {name: 'lost machines', server, nowMs: now().getTime(), leaseMs};
		if (lease.isHeld() && (await takeSweep(database, sweep))) {
			await freeLost();
		}
	});
	const check = createCheck(services, lease);
	const checks = repeat(every(intervalMs), async () => {
		await heartbeat.first;
		if (lease.isHeld()) {
			await check();
		}
	});
	const orphans = repeat(every(orphanMs), async () => {
		await heartbeat.first;
		if (lease.isHeld()) {
			await endOrphans(services);
		}
	});
	return {
		async close() {
			const closed = [checks.close(), heartbeat.close(), orphans.close()];
			await services.sandboxes.background.close();
			await Promise.all(closed);
			await lease.release().catch(error => logFault(services, error));
		},
	};
}

/**
 * Returns a function that ends what others ended in the database, and updates the sandboxes on this machine that are due or
 * have changed. Now and then it looks at all of them.
 */
export function createCheck(services: SandboxServices, lease: MachineLease): () => Promise<void> {
	const sweep = createSweep(services);
	let lookedMs = Number.NEGATIVE_INFINITY;
	let hasOldLogs = false;
	return async () => {
		const freedAt = lease.takeFreedAt();
		if (freedAt !== null) {
			await endFreed(services, freedAt);
		}

		const nowMs = services.now().getTime();
		if (Math.abs(nowMs - lookedMs) < lookAtAllMs) {
			await sweep.look();
		} else {
			await sweep.lookAtAll();
			lookedMs = nowMs;
			hasOldLogs = true;
		}

		// A pass that removed as many as it may has left some for the next check.
		hasOldLogs = hasOldLogs && (await removeOldLogs(services)) === maxRemoved;
	};
}

/** Updates all sandboxes on this machine once, and removes old logs. */
export async function updateSandboxes(services: SandboxServices): Promise<void> {
	await createSweep(services).lookAtAll();
	await removeOldLogs(services);
}

/** Removes logs that are older than they are kept. Returns how many, at most `maxRemoved`. */
async function removeOldLogs(services: SandboxServices): Promise<number> {
	const {database, sandboxes, now} = services;
	const machine = await sandboxes.provider.machine();
	const before = new Date(now().getTime() - sandboxes.policy.logRetentionMs).toISOString();
	const old = await database
		.selectFrom('environments')
		.innerJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select('sandboxes.id')
		.where('environments.state', 'in', ['failed', 'torn_down'])
		.where('environments.updated_at', '<', before)
		.where('machine', '=', machine)
		.limit(maxRemoved)
		.execute();
	for (const {id} of old) {
		await sandboxes.provider.remove(id);
		await removeLogObjects(logStoreOf(services), id);
		await database.deleteFrom('sandboxes').where('id', '=', id).execute();
	}

	return old.length;
}

/** Returns how many sandboxes on this machine have processes, running or paused. */
export async function countSandboxes({database, sandboxes}: SandboxServices): Promise<number> {
	const {count} = await database
		.selectFrom('sandboxes')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('state', '!=', 'killed')
		.where('machine', '=', await sandboxes.provider.machine())
		.executeTakeFirstOrThrow();
	return Number(count);
}

/** Ends every sandbox of this machine, for a server that won't be started again. */
export async function endSandboxes({database, sandboxes}: SandboxServices): Promise<void> {
	const left = await database.selectFrom('sandboxes').select('id').where('state', '!=', 'killed').execute();
	await Promise.all(left.map(({id}) => sandboxes.provider.remove(id)));
}
