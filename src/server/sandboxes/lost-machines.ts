import {endedStates} from '../../contract/resources/environment.ts';
import {AppError, messageOf} from '../../core/error.ts';
import {onlyMatch} from '../../core/only-match.ts';
import {operator, recordAct} from '../accounts/audit-log.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import type {CoreServices} from '../kit/services.ts';
import {lockingOrganization} from './capacity.ts';
import {endLostLog, logStoreOf, markLogEnded, removeLogObjects} from './log-store.ts';
import {type SandboxRow, settleSandbox} from './meter.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How long nothing is heard of a machine until others take it for lost: six heartbeats. */
export const lostAfterMs = 60_000;

/** A pause between two looks after which a server watches for a minute again, because it may have missed heartbeats. */
const maxPauseMs = 30_000;

/**
 * How much the clocks of servers may differ while this one hasn't seen the other alive: nothing is ended sooner than this after its
 * deadline.
 */
const maxClockDifferenceMs = 30_000;

/** How many sandboxes are ended with one heartbeat, so that the next is not late. */
const maxFreed = 100;

type Machine = {readonly id: string; readonly host: string; readonly seen_at: string};

/** What ending a sandbox in the database needs. */
type Freeing = Pick<CoreServices, 'database' | 'now' | 'log'> & {
	/** Credits an hour. */
	readonly rate: number;
};

/** What a server knows of another machine. */
type Watched = {
	readonly seenAt: string;
	/** Since when it has read that, by its own clock. */
	readonly sinceMs: number;
	/** How far the clock there is behind, at most; undefined until a heartbeat came while this server looked. */
	readonly behindMs: number | undefined;
};

/** Returns what is known of a machine after a look. `missed` if this server couldn't look for a while, or its clock moved. */
function lookAt(seenAt: string, last: Watched | undefined, {nowMs, missed}: {nowMs: number; missed: boolean}): Watched {
	if (last?.seenAt === seenAt && !missed) {
		return last;
	}

	const isSeenAlive = last !== undefined && (last.behindMs !== undefined || last.seenAt !== seenAt);
	return {seenAt, sinceMs: nowMs, behindMs: isSeenAlive ? nowMs - Date.parse(seenAt) : undefined};
}

/**
 * Returns a function that, called with every heartbeat, ends in the database what is past its time on lost machines. A
 * machine is lost if this server has read the same heartbeat for a minute. Times that another server wrote are only
 * compared with each other, and a server that couldn't look for a while, because its database was away or its process
 * stood still, watches for a minute first. Of a machine that it has seen alive it knows how far the clock there is behind, so that
 * clocks may differ by hours.
 */
export function watchMachines(services: SandboxServices): () => Promise<void> {
	const {database, sandboxes, now} = services;
	let watched: ReadonlyMap<string, Watched> = new Map();
	let lookedMs = Number.NEGATIVE_INFINITY;
	return async () => {
		const machines = await database
			.selectFrom('machines')
			.select(['id', 'host', 'seen_at'])
			.where('id', '!=', await sandboxes.provider.machine())
			.execute();
		const nowMs = now().getTime();
		const missed = nowMs < lookedMs || nowMs - lookedMs > maxPauseMs;
		const before = watched;
		lookedMs = nowMs;
		watched = new Map(machines.map(({id, seen_at: seenAt}) => [id, lookAt(seenAt, before.get(id), {nowMs, missed})]));
		const lost = machines.filter(({id}) => nowMs - (watched.get(id)?.sinceMs ?? nowMs) >= lostAfterMs);
		for (const machine of lost) {
			const behindMs = watched.get(machine.id)?.behindMs ?? 0;
			const clockThere = () => new Date(now().getTime() - behindMs);
			await freeExpired({...services, now: clockThere, rate: sandboxes.policy.creditsPerHour}, machine);
		}

		if (lost.length > 0) {
			await endLostLogs(services, lost);
		}

		if (sandboxes.collectsLogs) {
			await removeLostLogs(services);
		}
	};
}

/** Ends every sandbox of a lost machine whose deadline has passed by the clock there. Paused ones have none. */
async function freeExpired(services: Freeing, machine: Machine): Promise<void> {
	const before = new Date(services.now().getTime() - maxClockDifferenceMs).toISOString();
	const expired = await services.database
		.selectFrom('sandboxes')
		.select(['id', 'organization_id'])
		.where('state', '=', 'running')
		.where('expires_at', '<=', before)
		.where('machine', '=', machine.id)
		.limit(maxFreed)
		.execute();
	for (const sandbox of expired) {
		await freeSandbox(services, sandbox, machine).catch(error =>
			services.log({level: 'warn', message: 'sandboxes', error: messageOf(error)}),
		);
	}
}

/**
 * Ends a sandbox of a lost machine in the database alone, and bills what it ran until its deadline. Returns false if the
 * machine was seen meanwhile, or another server was faster.
 */
export async function freeSandbox(
	{database, now, log, rate}: Freeing,
	{id, organization_id}: Pick<SandboxRow, 'id' | 'organization_id'>,
	machine: Machine,
): Promise<boolean> {
	const at = now();
	// It is locked before any other row, as everywhere, so that of servers that free the same sandbox one waits.
	const freed = await lockingOrganization(database, organization_id, async transaction => {
		const sandbox = await transaction
			.selectFrom('sandboxes')
			.selectAll()
			.where('id', '=', id)
			.where('state', '!=', 'killed')
			.executeTakeFirst();
		return sandbox !== undefined && (await markFreed(transaction, machine, at))
			? await endLost(transaction, sandbox, {rate, at})
			: false;
	});
	if (freed) {
		log({level: 'warn', message: 'machine lost', machine: machine.id, host: machine.host, sandbox: id});
	}

	return freed;
}

/** Records that the machine has ended sandboxes, for its next heartbeat, which waits for this transaction. */
async function markFreed(transaction: DatabaseTransaction, {id, seen_at}: Machine, at: Date): Promise<boolean> {
	const {numUpdatedRows} = await transaction
		.updateTable('machines')
		.set({freed_at: at.toISOString()})
		.where('id', '=', id)
		.where('seen_at', '=', seen_at)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

async function endLost(
	transaction: DatabaseTransaction,
	sandbox: SandboxRow,
	{rate, at}: {readonly rate: number; readonly at: Date},
): Promise<boolean> {
	const used = await transaction
		.selectFrom('sandboxes')
		.leftJoin('environments', 'environments.sandbox_id', 'sandboxes.id')
		.leftJoin('runtimes', 'runtimes.sandbox_id', 'sandboxes.id')
		.select(['environments.task_ref', 'runtimes.key'])
		.where('sandboxes.id', '=', sandbox.id)
		.executeTakeFirst();
	const reason = used?.key ? `runtime ${used.key}` : `environment ${used?.task_ref ?? ''}`;
	if (!(await settleSandbox(transaction, sandbox, {state: 'killed', reason, rate, now: at}))) {
		return false;
	}

	const updated_at = at.toISOString();
	await transaction
		.updateTable('environments')
		.set({state: 'torn_down', error: 'The machine of its sandbox was lost.', updated_at})
		.where('sandbox_id', '=', sandbox.id)
		.where('state', 'not in', endedStates)
		.execute();
	await transaction
		.updateTable('runtimes')
		.set({status: 'idle', updated_at})
		.where('sandbox_id', '=', sandbox.id)
		.execute();
	await endLostLog(transaction, sandbox.id, lostLine);
	return true;
}

/** The last line of a log of a lost machine. */
const lostLine = 'The machine of its sandbox was lost. Lines before this one may be missing.';

/** Ends logs on lost machines of sandboxes that had ended before, so that nobody waits for the rest. */
async function endLostLogs({database}: Pick<Freeing, 'database'>, lost: readonly Machine[]): Promise<void> {
	const unfinished = await database
		.selectFrom('sandbox_logs')
		.innerJoin('sandboxes', 'sandboxes.id', 'sandbox_logs.sandbox_id')
		.select('sandbox_id')
		.where(
			'sandbox_logs.machine',
			'in',
			lost.map(({id}) => id),
		)
		.where('sandbox_logs.state', 'in', ['open', 'ended'])
		.where('sandboxes.state', '=', 'killed')
		.limit(maxFreed)
		.execute();
	for (const {sandbox_id} of unfinished) {
		await database.transaction().execute(transaction => endLostLog(transaction, sandbox_id, lostLine));
	}
}

/** Removes old logs of lost machines, which those would have removed. */
async function removeLostLogs(services: SandboxServices): Promise<void> {
	const {database, sandboxes, now} = services;
	const before = new Date(now().getTime() - sandboxes.policy.logRetentionMs).toISOString();
	const old = await database
		.selectFrom('sandbox_logs')
		.innerJoin('environments', 'environments.sandbox_id', 'sandbox_logs.sandbox_id')
		.select('sandbox_logs.sandbox_id')
		.where('sandbox_logs.state', '=', 'lost')
		.where('environments.updated_at', '<', before)
		.limit(maxFreed)
		.execute();
	for (const {sandbox_id} of old) {
		await removeLogObjects(logStoreOf(services), sandbox_id);
		await database.deleteFrom('sandboxes').where('id', '=', sandbox_id).execute();
	}
}

/**
 * Ends what still runs on this machine of sandboxes that others ended in the database, as they do while it is lost. Then
 * marks this as done, unless they ended more meanwhile.
 */
export async function endFreed({database, sandboxes}: SandboxServices, freedAt: string): Promise<void> {
	const machine = await sandboxes.provider.machine();
	const killed = await database
		.selectFrom('sandboxes')
		.select('id')
		.where('machine', '=', machine)
		.where('state', '=', 'killed')
		.execute();
	for (const {id} of killed) {
		if ((await sandboxes.provider.inspect(id)).kind !== 'ended') {
			await sandboxes.provider.end(id);
			await markLogEnded(database, id);
		}
	}

	await database
		.updateTable('machines')
		.set({freed_at: null})
		.where('id', '=', machine)
		.where('freed_at', '=', freedAt)
		.execute();
}

/** A machine for an administrator, with the number of its sandboxes that run or are paused. */
export type MachineState = {
	readonly id: string;
	readonly host: string;
	readonly seen_at: string;
	readonly sandboxes: number;
};

/** Returns all machines, those that were seen last first. */
export async function listMachines({database}: Pick<Freeing, 'database'>): Promise<readonly MachineState[]> {
	const machines = await database
		.selectFrom('machines')
		.select(['id', 'host', 'seen_at'])
		.orderBy('seen_at', 'desc')
		.orderBy('id')
		.execute();
	const counts = await database
		.selectFrom('sandboxes')
		.select(['machine', ({fn}) => fn.countAll<number>().as('count')])
		.where('state', '!=', 'killed')
		.groupBy('machine')
		.execute();
	const countOf = new Map(counts.map(({machine, count}) => [machine, Number(count)]));
	return machines.map(machine => ({...machine, sandboxes: countOf.get(machine.id) ?? 0}));
}

/**
 * Removes a machine by its id or the beginning of it, and ends all its sandboxes in the database, paused ones, too. Returns
 * how many. Throws AppError("not-found") or ("usage") if it isn't one machine, and AppError("conflict") if that was seen
 * in the last minute, by the clock of the caller.
 */
export async function forgetMachine(
	services: Freeing,
	begins: string,
): Promise<MachineState & {readonly ended: number}> {
	const matches = (await listMachines(services)).filter(({id}) => id.startsWith(begins.toLowerCase()));
	const machine = onlyMatch(begins, matches, {noun: 'machines', nameOf: ({id}) => id.slice(0, 8)});
	if (!machine) {
		throw new AppError('not-found', `Machine not found: “${begins}”.`, {hint: 'See all with `serve machine list`.'});
	}

	if (services.now().getTime() - Date.parse(machine.seen_at) < lostAfterMs) {
		throw seenAgain(machine);
	}

	const sandboxes = await services.database
		.selectFrom('sandboxes')
		.select(['id', 'organization_id'])
		.where('machine', '=', machine.id)
		.where('state', '!=', 'killed')
		.execute();
	let ended = 0;
	for (const sandbox of sandboxes) {
		ended += (await freeSandbox(services, sandbox, machine)) ? 1 : 0;
	}

	await services.database.transaction().execute(async transaction => {
		const {numDeletedRows} = await transaction
			.deleteFrom('machines')
			.where('id', '=', machine.id)
			.where('seen_at', '=', machine.seen_at)
			.executeTakeFirst();
		if (numDeletedRows === 0n) {
			throw seenAgain(machine);
		}

		await recordAct(transaction, operator, {
			act: 'machine.forget',
			organizationId: null,
			subject: {id: machine.id, name: machine.host || machine.id},
			details: {sandboxes_ended: ended},
			at: services.now(),
		});
	});

	return {...machine, ended};
}

function seenAgain({id, host}: Machine): AppError {
	return new AppError('conflict', `Machine ${id.slice(0, 8)}${host && ` (${host})`} was seen in the last minute.`, {
		hint: 'Stop its servers and wait a minute.',
	});
}
