import {randomUUID} from 'node:crypto';
import type {TaskInputs} from '../tasks/inputs.ts';
import type {Task} from '../tasks/task.ts';
import {assertCapacity, holdOrganization, limitFor} from './capacity.ts';
import {payAhead} from './meter.ts';
import {assertStarts, orProviderFault} from './provider-fault.ts';
import type {SandboxServices} from './sandbox-services.ts';
import type {TaskPlan} from './task-plan.ts';

type Wanted = {
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

type Admitted = {
	readonly id: string;
	readonly sandboxId: string;
	/** The time limit that it got. */
	readonly seconds: number;
};

/**
 * Creates the row of a new environment in state `building`. Rejects (409) if capacity or credits are used up, or this
 * server starts no sandboxes.
 */
export async function admitEnvironment(services: SandboxServices, wanted: Wanted): Promise<Admitted> {
	const {database, sandboxes, now} = services;
	const {organizationId, workspaceId, projectId, createdBy, task, plan, inputs, modelOverrides} = wanted;
	const {provider, policy} = sandboxes;
	await assertStarts(services);
	const machine = await orProviderFault(services, provider.machine());
	const [id, sandboxId] = [randomUUID(), randomUUID()];
	const seconds = await database.transaction().execute(async transaction => {
		const bounds = await holdOrganization(transaction, organizationId);
		await assertCapacity(transaction, organizationId, {capacity: bounds.sandbox_capacity ?? policy.capacity});
		const {actual} = limitFor(policy, bounds, wanted.seconds ?? task.timeout_sec ?? null);
		const created = now();
		const payer = {organizationId, userId: createdBy, reason: `environment ${wanted.taskReference}`, now: created};
		const credit = await payAhead(transaction, payer, {past: 0, billed: 0, rate: policy.creditsPerHour});
		const longest = Math.min(actual, credit.seconds);
		const both = {
			organization_id: organizationId,
			created_by: createdBy,
			created_at: created.toISOString(),
			expires_at: new Date(created.getTime() + longest * 1000).toISOString(),
		};
		await transaction
			.insertInto('sandboxes')
			.values({
				...both,
				id: sandboxId,
				provider: provider.name,
				provider_sandbox_id: sandboxId,
				machine,
				state: 'running',
				sandbox_url: Object.values(plan.services)[0]?.url ?? null,
				past_seconds: 0,
				running_since: both.created_at,
				billed_credits: credit.billed,
				limited_by: credit.seconds < actual ? credit.lack : null,
				startup_timing: '{}',
			})
			.execute();
		await transaction
			.insertInto('environments')
			.values({
				...both,
				id,
				workspace_id: workspaceId,
				project_id: projectId,
				task_ref: wanted.taskReference,
				state: 'building',
				inputs: JSON.stringify(inputs),
				model_overrides: JSON.stringify(modelOverrides),
				instruction: plan.instruction,
				service_urls: JSON.stringify(plan.services),
				verification: task.verification ? JSON.stringify(task.verification) : null,
				sandbox_id: sandboxId,
				updated_at: both.created_at,
			})
			.execute();
		return longest;
	});
	return {id, sandboxId, seconds};
}
