import {endedStates} from '../../contract/resources/environment.ts';
import {messageOf} from '../../core/error.ts';
import {type Actor, recordAct} from '../accounts/audit-log.ts';
import {endSandboxTime} from '../accounts/suspension.ts';
import {takeSweep} from '../database/sweep-lease.ts';
import type {Database, DatabaseTransaction} from '../database/tables.ts';
import {endEnvironment} from '../sandboxes/environment-state.ts';
import {logStoreOf, removeLogObjects} from '../sandboxes/log-store.ts';
import {lostAfterMs} from '../sandboxes/lost-machines.ts';
import {stopRuntime} from '../sandboxes/runtime-state.ts';
import {
	type DataPlace,
	type DeletionServices,
	deleteAssessment,
	deleteEnvironment,
	deleteProject,
	deleteSession,
	deleteSpans,
} from './delete-data.ts';

/**
 * Begins the deletion of an organization: nobody has access to it from the next request on, and the time of its sandboxes ends.
 * The servers of the database delete the rest. Asking again changes nothing.
 */
export async function requestDeletion(
	transaction: DatabaseTransaction,
	actor: Actor,
	{id, slug}: {readonly id: string; readonly slug: string},
	at: Date,
): Promise<void> {
	const time = at.toISOString();
	const {numUpdatedRows} = await transaction
		.updateTable('organizations')
		.set(({fn, val}) => ({deleting_at: time, suspended_at: fn.coalesce('suspended_at', val(time))}))
		.where('id', '=', id)
		.where('deleting_at', 'is', null)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) {
		return;
	}

	const environments = transaction.selectFrom('environments').select('id').where('organization_id', '=', id);
	await transaction.deleteFrom('execute_tokens').where('environment_id', 'in', environments).execute();
	await endSandboxTime(transaction, {column: 'organization_id', id}, time);
	await recordAct(transaction, actor, {
		act: 'organization.delete',
		organizationId: id,
		subject: {id, name: slug},
		at,
	});
}

/** How long another server waits for the one that deletes an organization, before it takes over. */
const leaseMs = 2 * 60_000;

/** How many rows are read at once. */
const slice = 100;

type Deleting = {readonly server: string; readonly signal?: AbortSignal | undefined};

/**
 * Goes on with every deletion of an organization. Each server ends the sandboxes of its machine; once none is left, one server
 * deletes everything else. What was interrupted goes on with what is left, on any server.
 */
export async function deleteOrganizations(services: DeletionServices, {server, signal}: Deleting): Promise<void> {
	const {database, log} = services;
	const marked = await database.selectFrom('organizations').select('id').where('deleting_at', 'is not', null).execute();
	for (const {id} of marked) {
		// An engine that is away keeps no other organization from being deleted.
		await goOn(services, id, {server, signal}).catch(error => {
			signal?.throwIfAborted();
			log({level: 'warn', message: 'organization deletion', organization: id, error: messageOf(error)});
		});
	}
}

async function goOn(services: DeletionServices, organizationId: string, {server, signal}: Deleting): Promise<void> {
	const {database, now} = services;
	await endSandboxesHere(services, organizationId);
	if (await hasSandboxesElsewhere(services, organizationId)) {
		await tellOfLostMachines(services, organizationId);
		return;
	}

	const goesOn = async () => {
		signal?.throwIfAborted();
		return await takeSweep(database, {name: `delete ${organizationId}`, server, nowMs: now().getTime(), leaseMs});
	};
	if (await goesOn()) {
		await deleteOrganization(services, organizationId, {goesOn, signal});
		await database.deleteFrom('sweeps').where('name', '=', `delete ${organizationId}`).execute();
	}
}

/** Ends the sandboxes of an organization on this machine, which charges what they used, and removes their files and logs. */
async function endSandboxesHere(services: DeletionServices, organizationId: string): Promise<void> {
	const {database, sandboxes} = services;
	const machine = await sandboxes.provider.machine();
	const environments = await database
		.selectFrom('environments')
		.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.select('environments.id')
		.where('environments.organization_id', '=', organizationId)
		.where('environments.state', 'not in', [...endedStates])
		.where(({or, eb}) => or([eb('machine', '=', machine), eb('machine', 'is', null)]))
		.execute();
	for (const {id} of environments) {
		await endEnvironment(services, id);
	}

	const runtimes = await database
		.selectFrom('runtimes')
		.innerJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.select('runtimes.id')
		.where('runtimes.organization_id', '=', organizationId)
		.where('status', '!=', 'idle')
		.where('machine', '=', machine)
		.execute();
	for (const {id} of runtimes) {
		await stopRuntime(services, id);
	}

	const ended = await database
		.selectFrom('sandboxes')
		.select('id')
		.where('organization_id', '=', organizationId)
		.where('state', '=', 'killed')
		.where('machine', '=', machine)
		.execute();
	for (const {id} of ended) {
		await sandboxes.provider.remove(id);
		await removeLogObjects(logStoreOf(services), id);
		await database.deleteFrom('sandboxes').where('id', '=', id).execute();
	}
}

/** Returns whether another machine still has to end a sandbox, or to remove the files of one that has ended. */
async function hasSandboxesElsewhere({database, now}: DeletionServices, organizationId: string): Promise<boolean> {
	const left = await database
		.selectFrom('sandboxes')
		.leftJoin('machines', 'machines.id', 'sandboxes.machine')
		.select('sandboxes.id')
		.where('organization_id', '=', organizationId)
		.where(({or, eb}) => or([eb('state', '!=', 'killed'), eb('held_until', '>', now().toISOString())]))
		.limit(1)
		.executeTakeFirst();
	return left !== undefined;
}

/** What was logged of each database: an organization and the machine that its deletion waits for. */
const toldOf = new WeakMap<Database, Set<string>>();

/** Returns which machines keep an organization from being deleted, because nobody has seen them for a while. */
export async function findLostMachines(
	{database, now}: Pick<DeletionServices, 'database' | 'now'>,
	organizationId: string,
): Promise<
	readonly {readonly id: string; readonly host: string; readonly seen_at: string; readonly sandboxes: number}[]
> {
	const found = await database
		.selectFrom('sandboxes')
		.innerJoin('machines', 'machines.id', 'sandboxes.machine')
		.select(['machines.id', 'host', 'seen_at', ({fn}) => fn.countAll<number>().as('count')])
		.where('organization_id', '=', organizationId)
		.where('state', '!=', 'killed')
		.where('seen_at', '<', new Date(now().getTime() - lostAfterMs).toISOString())
		.groupBy(['machines.id', 'host', 'seen_at'])
		.execute();
	return found.map(({count, ...machine}) => ({...machine, sandboxes: Number(count)}));
}

/** Logs once which machines keep an organization from being deleted, and what to do. */
async function tellOfLostMachines(services: DeletionServices, organizationId: string): Promise<void> {
	const {database, log} = services;
	const lost = await findLostMachines(services, organizationId);
	const told = toldOf.get(database) ?? new Set<string>();
	toldOf.set(database, told);
	for (const {id, host, seen_at, sandboxes} of lost) {
		const key = `${organizationId} ${id}`;
		if (!told.has(key)) {
			told.add(key);
			log({
				level: 'warn',
				message: 'organization deletion waits for a machine',
				organization: organizationId,
				machine: id,
				host,
				seen_at,
				sandboxes,
				fix: `Start its server, or if it is gone for good: serve machine forget ${id.slice(0, 8)}`,
			});
		}
	}
}

type Going = {readonly goesOn: () => Promise<boolean>; readonly signal: AbortSignal | undefined};

async function deleteOrganization(services: DeletionServices, organizationId: string, going: Going): Promise<void> {
	const {database, log} = services;
	// Those of machines that are gone.
	const lost = await database
		.selectFrom('sandboxes')
		.select('id')
		.where('organization_id', '=', organizationId)
		.execute();
	for (const {id} of lost) {
		await removeLogObjects(logStoreOf(services), id);
	}

	const workspaces = await database
		.selectFrom('workspaces')
		.select('id')
		.where('organization_id', '=', organizationId)
		.execute();
	for (const {id} of workspaces) {
		if (!(await deleteWorkspaceData(services, {organizationId, workspaceId: id}, going))) {
			return;
		}
	}

	await database
		.deleteFrom('organizations')
		.where('id', '=', organizationId)
		.where('deleting_at', 'is not', null)
		.execute();
	for (const {id} of workspaces) {
		// An upload that began before can have ended in between, and none can end any more.
		await removeBlobs(services, id);
		await database.deleteFrom('list_totals').where('scope_id', '=', id).execute();
	}

	log({level: 'info', message: 'organization deleted', organization: organizationId});
}

/** Deletes everything of a workspace slice by slice. Returns false if another server has taken over. */
async function deleteWorkspaceData(
	services: DeletionServices,
	place: DataPlace,
	{goesOn, signal}: Going,
): Promise<boolean> {
	const {database} = services;
	const {workspaceId} = place;
	const each = async (
		table: 'projects' | 'sessions' | 'assessments' | 'environments',
		work: (id: string) => Promise<void>,
	): Promise<boolean> => {
		const next = () =>
			database.selectFrom(table).select('id').where('workspace_id', '=', workspaceId).limit(slice).execute();
		for (let rows = await next(); rows.length > 0; rows = await next()) {
			for (const {id} of rows) {
				if (!(await goesOn())) {
					return false;
				}

				await work(id);
			}
		}

		return true;
	};
	const isDone =
		(await each('sessions', id => deleteSession(services, place, id, {signal}))) &&
		(await each('assessments', id => deleteAssessment(services, place, id))) &&
		(await each('environments', id => deleteEnvironment(services, place, id))) &&
		(await each('projects', async id => {
			await deleteSpans(services, place, ({eb}) => eb('project_id', '=', id), signal);
			await deleteProject(services, place, id);
			await database.deleteFrom('list_totals').where('scope_id', '=', id).execute();
		}));
	if (isDone) {
		await deleteSpans(services, place, ({lit}) => lit(true), signal);
		await removeBlobs(services, workspaceId);
	}

	return isDone;
}

/** Removes every artifact of a workspace, also those that no span refers to. */
async function removeBlobs({artifacts: {blobs}, log}: DeletionServices, workspaceId: string): Promise<void> {
	for (let after = ''; ; ) {
		const stored = await blobs.list(workspaceId, after);
		if (!stored) {
			log({
				level: 'warn',
				message: 'the bucket lists no objects, so unreferenced artifacts stay',
				workspace: workspaceId,
			});
			return;
		}

		for (const {name} of stored) {
			await blobs.remove(name);
		}

		const last = stored.at(-1);
		if (!last) {
			return;
		}

		after = last.name;
	}
}
