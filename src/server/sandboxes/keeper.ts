import {messageOf} from '../../core/error.ts';
import {advanceEnvironment} from './environment-life.ts';
import {advanceRuntime} from './runtime-life.ts';
import type {SandboxServices} from './sandbox-services.ts';

/** How often it is looked whether a sandbox ended, or its time is over, in milliseconds. */
const intervalMs = 2000;

/** How many logs of ended sandboxes are removed at once. */
const mostRemoved = 20;

/** Looks after the sandboxes of this machine until it is closed, those of an earlier server among them. */
export function keepSandboxes(services: SandboxServices): {readonly close: () => Promise<void>} {
	let current = look(services);
	const timer = setInterval(() => {
		current = current.then(() => look(services));
	}, intervalMs);
	timer.unref();
	return {
		async close() {
			clearInterval(timer);
			await services.sandboxes.background.close();
			await current;
		},
	};
}

async function look(services: SandboxServices): Promise<void> {
	try {
		await sweepSandboxes(services);
	} catch (error) {
		// The database may be gone for a moment; the next look does what this one did not.
		logFault(services, error);
	}
}

/** Brings everything that runs on this machine up to date: once, and now. */
export async function sweepSandboxes(services: SandboxServices): Promise<void> {
	const {database, sandboxes} = services;
	const machine = await sandboxes.provider.machine();
	const environments = await database
		.selectFrom('environments')
		.innerJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select('environments.id')
		.where('environments.state', 'in', ['building', 'provisioning', 'ready', 'paused'])
		.where('machine', '=', machine)
		.execute();
	await each(services, environments, advanceEnvironment);

	const runtimes = await database
		.selectFrom('runtimes')
		.innerJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.select('runtimes.id')
		.where('runtimes.status', '!=', 'idle')
		.where('machine', '=', machine)
		.execute();
	await each(services, runtimes, advanceRuntime);

	await removeOldLogs(services, machine);
}

/** Together, because an end takes a moment; what fails for one is left for the next look, and hides no other. */
async function each(
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
		.limit(mostRemoved)
		.execute();
	for (const {id} of old) {
		await sandboxes.provider.remove(id);
		await database.deleteFrom('sandboxes').where('id', '=', id).execute();
	}
}

/** How many sandboxes of this machine have processes, whether they run or are paused. */
export async function countSandboxes({database, sandboxes}: SandboxServices): Promise<number> {
	const {count} = await database
		.selectFrom('sandboxes')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('state', '!=', 'killed')
		.where('machine', '=', await sandboxes.provider.machine())
		.executeTakeFirstOrThrow();
	return Number(count);
}

/** Ends every sandbox of this machine, for a server that nobody will start again. */
export async function endSandboxes({database, sandboxes}: SandboxServices): Promise<void> {
	const left = await database.selectFrom('sandboxes').select('id').where('state', '!=', 'killed').execute();
	await Promise.all(left.map(({id}) => sandboxes.provider.remove(id)));
}
