import {randomUUID} from 'node:crypto';
import type {Insertable} from 'kysely';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import type {TaskInputs} from '../tasks/inputs.ts';
import type {Task} from '../tasks/task.ts';
import {assertCapacity, limitFor, lockingOrganization} from './capacity.ts';
import {assertRoom, memoryFor} from './machine-room.ts';
import {prepay} from './meter.ts';
import {assertCanStart, orProviderFault} from './provider-fault.ts';
import type {SandboxServices} from './sandboxing.ts';
import type {TaskPlan} from './task-plan.ts';

type NewEnvironment = {
	readonly organizationId: string;
	readonly workspaceId: string;
	readonly projectId: string | null;
	readonly createdBy: string;
	readonly taskReference: string;
	readonly task: Task;
	readonly plan: TaskPlan;
	readonly inputs: TaskInputs;
	readonly modelOverrides: Readonly<Record<string, string>>;
	/** The requested time limit; null for none. */
	readonly seconds: number | null;
};

type AdmittedEnvironment = {
	readonly id: string;
	readonly sandboxId: string;
	/** The time limit that it got. */
	readonly seconds: number;
};

/**
 * Creates the row of a new environment in state `building`. Rejects (409) if capacity or credits are used up, the machine
 * has no room, or this server starts no sandboxes.
 */
export async function admitEnvironment(
	services: SandboxServices,
	environment: NewEnvironment,
): Promise<AdmittedEnvironment> {
	const {database, sandboxes, now} = services;
	const {organizationId, createdBy, task, plan} = environment;
	const {provider, policy, room} = sandboxes;
	const memoryBytes = memoryFor(task);
	await assertCanStart(services, plan.needs);
	const machine = await orProviderFault(services, provider.machine());
	const [id, sandboxId] = [randomUUID(), randomUUID()];
	const seconds = await lockingOrganization(database, organizationId, async (transaction, bounds) => {
		await assertCapacity(transaction, organizationId, {capacity: bounds.sandbox_capacity ?? policy.capacity});
		await assertRoom(transaction, room, {machine, memoryBytes});
		const {actual} = limitFor(policy, bounds, environment.seconds ?? task.timeout_sec ?? null);
		const created = now();
		const payer = {organizationId, userId: createdBy, reason: `environment ${environment.taskReference}`, now: created};
		const credit = await prepay(transaction, payer, {past: 0, billed: 0, rate: policy.creditsPerHour});
		const lifetimeSeconds = Math.min(actual, credit.seconds);
		const shared = {
			organization_id: organizationId,
			created_by: createdBy,
			created_at: created.toISOString(),
			expires_at: new Date(created.getTime() + lifetimeSeconds * 1000).toISOString(),
		};
		await transaction
			.insertInto('sandboxes')
			.values({
				...shared,
				id: sandboxId,
				provider: provider.name,
				provider_sandbox_id: sandboxId,
				machine,
				state: 'running',
				sandbox_url: Object.values(plan.services)[0]?.url ?? null,
				past_seconds: 0,
				running_since: shared.created_at,
				billed_credits: credit.billed,
				billed_before_start: 0,
				limited_by: credit.seconds < actual ? credit.shortage : null,
				startup_timing: '{}',
				due_at: shared.created_at,
				memory_bytes: memoryBytes,
			})
			.execute();
		if (sandboxes.collectsLogs) {
			const log = {
				sandbox_id: sandboxId,
				machine,
				state: 'open',
				start_offset: 0,
				end_offset: 0,
				collected: 0,
			} as const;
			await transaction.insertInto('sandbox_logs').values(log).execute();
		}

		await insertEnvironment(transaction, {...shared, id, sandbox_id: sandboxId}, environment);
		return lifetimeSeconds;
	});
	return {id, sandboxId, seconds};
}

type Shared = Pick<
	Insertable<Tables['environments']>,
	'id' | 'sandbox_id' | 'organization_id' | 'created_by' | 'created_at' | 'expires_at'
>;

async function insertEnvironment(
	transaction: DatabaseTransaction,
	shared: Shared,
	{workspaceId, projectId, taskReference, task, plan, inputs, modelOverrides}: NewEnvironment,
): Promise<void> {
	await transaction
		.insertInto('environments')
		.values({
			...shared,
			workspace_id: workspaceId,
			project_id: projectId,
			task_ref: taskReference,
			state: 'building',
			inputs: JSON.stringify(inputs),
			model_overrides: JSON.stringify(modelOverrides),
			instruction: plan.instruction,
			service_urls: JSON.stringify(plan.services),
			verification: task.verification ? JSON.stringify(task.verification) : null,
			updated_at: shared.created_at,
		})
		.execute();
}
