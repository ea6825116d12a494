import {messageOf} from '../../core/error.ts';
import {advanceEnvironment} from './environment-state.ts';
import {endFreed, watchMachines} from './lost-machines.ts';
import {createMachineLease, heartbeatMs, type MachineLease} from './machine-lease.ts';
import {advanceRuntime} from './runtime-state.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How often sandboxes are checked for their end and their deadline. */
const intervalMs = 2000;

/** How many logs of ended sandboxes are removed in one pass. */
const maxRemoved = 20;

/**
 * Manages the sandboxes of this machine until it is closed, also those of an earlier server. Of several servers on the
 * machine, one does.
 */
export function monitorSandboxes(services: SandboxServices): {readonly close: () => Promise<void>} {
	const lease = createMachineLease(services);
	const freeLost = watchMachines(services);
	// A check may take long, because it waits for processes to end; heartbeats don't wait for it.
	const heartbeat = repeat(services, heartbeatMs, async () => {
		await lease.renew();
		if (lease.isHeld()) {
			await freeLost();
		}
	});
	const checks = repeat(services, intervalMs, async () => {
		await heartbeat.first;
		if (lease.isHeld()) {
			await checkSandboxes(services, lease);
		}
	});
	return {
		async close() {
			const closed = [checks.close(), heartbeat.close()];
			await services.sandboxes.background.close();
			await Promise.all(closed);
			await lease.release().catch(error => logFault(services, error));
		},
	};
}

/** Does work now and repeatedly. After a fault, e.g. of the database, the next time catches up. */
function repeat(services: SandboxServices, everyMs: number, work: () => Promise<void>) {
	const run = () => work().catch(error => logFault(services, error));
	const first = run();
	let current = first;
	const timer = setInterval(() => {
		current = current.then(run);
	}, everyMs);
	timer.unref();
	return {
		/** Resolves after the first time. */
		first,
		/** Resolves when the work has ended. */
		close(): Promise<void> {
			clearInterval(timer);
			return current;
		},
	};
}

/** Ends what others ended in the database, first, and updates all sandboxes on this machine. */
export async function checkSandboxes(services: SandboxServices, lease: MachineLease): Promise<void> {
	const freedAt = lease.takeFreedAt();
	if (freedAt !== null) {
		await endFreed(services, freedAt);
	}

	await updateSandboxes(services);
}

/** Updates all sandboxes on this machine once. */
export async function updateSandboxes(services: SandboxServices): Promise<void> {
	const {database, sandboxes} = services;
	const machine = await sandboxes.provider.machine();
	const environments = await database
		.selectFrom('environments')
		.innerJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select('environments.id')
		.where('environments.state', 'in', ['building', 'provisioning', 'ready', 'paused'])
		.where('machine', '=', machine)
		.execute();
	await updateEach(services, environments, advanceEnvironment);

	const runtimes = await database
		.selectFrom('runtimes')
		.innerJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.select('runtimes.id')
		.where('runtimes.status', '!=', 'idle')
		.where('machine', '=', machine)
		.execute();
	await updateEach(services, runtimes, advanceRuntime);

	await removeOldLogs(services, machine);
}

/**
 * Runs in parallel, because ending a sandbox takes a moment. A failure of one affects no other and is retried in the
 * next pass.
 */
async function updateEach(
	services: SandboxServices,
	rows: readonly {readonly id: string}[],
	advance: (services: SandboxServices, id: string) => Promise<unknown>,
): Promise<void> {
	await Promise.all(rows.map(({id}) => advance(services, id).catch(error => logFault(services, error))));
}

function logFault({log}: SandboxServices, error: unknown): void {
	log({level: 'warn', message: 'sandboxes', error: messageOf(error)});
}

async function removeOldLogs({database, sandboxes, now}: SandboxServices, machine: string): Promise<void> {
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
		await database.deleteFrom('sandboxes').where('id', '=', id).execute();
	}
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
