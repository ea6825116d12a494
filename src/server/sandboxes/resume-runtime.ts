import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {reportError} from '../../core/error.ts';
import {refuse} from '../kit/refusal.ts';
import {assertCapacity, holdOrganization, limitFor} from './capacity.ts';
import {payAhead, type SandboxRow} from './meter.ts';
import type {Deadline} from './provider.ts';
import {assertHere, assertStarts, orProviderFault} from './provider-fault.ts';
import {advanceRuntime, endRuntime, findRuntime, type RuntimeRow} from './runtime-life.ts';
import type {SandboxServices} from './sandbox-services.ts';
import {planTask, type TaskPlan} from './task-plan.ts';

/**
 * Wakes a runtime: continues its sandbox, or begins one in its workspace. One that runs already is left alone, so that
 * the same request may come twice, also at once. Refuses where there is no room, no credit (409) or no way (502).
 */
export async function resumeRuntime(services: SandboxServices, id: string, organization: string): Promise<void> {
	const {sandboxes} = services;
	const before = await findRuntime(services, id);
	await assertHere(services, before.sandbox?.machine ?? null, 'resume it');
	await advanceRuntime(services, id);
	const {runtime, sandbox} = await findRuntime(services, id);
	if (runtime.status === 'running') {
		return;
	}

	const paused = sandbox?.state === 'paused' ? sandbox : undefined;
	const plan = paused ? undefined : await planRuntime(services, runtime, organization);
	const admitted = await admit(services, runtime, paused, plan);
	if (admitted) {
		const deadline: Deadline = {
			after: admitted.seconds * 1000,
			action: sandboxes.provider.supportsPause ? 'pause' : 'end',
		};
		await begin(services, runtime, {sandboxId: admitted.sandboxId, plan, deadline});
		if (sandbox && !paused) {
			await sandboxes.provider.remove(sandbox.id);
		}
	}
}

async function planRuntime(services: SandboxServices, {key, task_ref}: RuntimeRow, organization: string) {
	const task = await orProviderFault(services, services.sandboxes.tasks.find(task_ref, organization));
	if (!task) {
		refuse(409, `The task “${task_ref}” of the runtime “${key}” is not there any more.`, {type: 'task_error'});
	}

	const inputs = Object.entries(task.inputs).flatMap(([name, input]) =>
		input.default === undefined ? [] : [[name, input.default] as const],
	);
	return await planTask(task, {inputs: Object.fromEntries(inputs), modelOverrides: {}, secrets: {}});
}

/** Decides in one transaction who wakes it, and for how long. Undefined where somebody else was faster. */
async function admit(
	services: SandboxServices,
	runtime: RuntimeRow,
	paused: SandboxRow | undefined,
	plan: TaskPlan | undefined,
) {
	const {database, sandboxes, now} = services;
	const {provider, policy} = sandboxes;
	await assertStarts(services);
	const machine = await orProviderFault(services, provider.machine());
	const sandboxId = paused?.id ?? randomUUID();
	return await database.transaction().execute(async transaction => {
		const bounds = await holdOrganization(transaction, runtime.organization_id);
		const fresh = await transaction
			.selectFrom('runtimes')
			.select('status')
			.where('id', '=', runtime.id)
			.executeTakeFirstOrThrow();
		if (fresh.status === 'running') {
			return undefined;
		}

		const capacity = bounds.sandbox_capacity ?? policy.capacity;
		await assertCapacity(transaction, runtime.organization_id, {capacity, but: paused?.id});
		const at = now();
		const {actual} = limitFor(policy, bounds, runtime.requested_seconds);
		const payer = {
			organizationId: runtime.organization_id,
			userId: runtime.created_by,
			reason: `runtime ${runtime.key}`,
			now: at,
		};
		const used = {past: paused?.past_seconds ?? 0, billed: paused?.billed_credits ?? 0, rate: policy.creditsPerHour};
		const credit = await payAhead(transaction, payer, used);
		const seconds = Math.min(actual, credit.seconds);
		const running = {
			state: 'running' as const,
			pause_reason: null,
			limited_by: credit.seconds < actual ? credit.lack : null,
			billed_credits: credit.billed,
			running_since: at.toISOString(),
			expires_at: new Date(at.getTime() + seconds * 1000).toISOString(),
		};
		if (paused) {
			await transaction.updateTable('sandboxes').set(running).where('id', '=', sandboxId).execute();
		} else {
			await transaction
				.insertInto('sandboxes')
				.values({
					...running,
					id: sandboxId,
					organization_id: runtime.organization_id,
					created_by: runtime.created_by,
					provider: provider.name,
					provider_sandbox_id: sandboxId,
					machine,
					sandbox_url: Object.values(plan?.services ?? {})[0]?.url ?? null,
					past_seconds: 0,
					startup_timing: '{}',
					created_at: running.running_since,
				})
				.execute();
		}

		await transaction
			.updateTable('runtimes')
			.set({status: 'running', sandbox_id: sandboxId, updated_at: running.running_since})
			.where('id', '=', runtime.id)
			.execute();
		return {sandboxId, seconds};
	});
}

type Beginning = {readonly sandboxId: string; readonly plan: TaskPlan | undefined; readonly deadline: Deadline};

/** Starts or continues the process; where that fails the runtime is idle again. */
async function begin(
	services: SandboxServices,
	runtime: RuntimeRow,
	{sandboxId, plan, deadline}: Beginning,
): Promise<void> {
	const {sandboxes, database} = services;
	const started = performance.now();
	let fault: unknown;
	await sandboxes.background.run(runtime.id, async () => {
		try {
			if (plan) {
				const workspace = join(sandboxes.workspaces, runtime.id);
				await sandboxes.provider.start(await plan.specOf(sandboxId, deadline, workspace));
			} else {
				await sandboxes.provider.resume(sandboxId, deadline);
			}
		} catch (error) {
			fault = error;
		}
	});
	if (fault !== undefined) {
		await endRuntime(services, runtime.id);
		refuse(502, `The runtime “${runtime.key}” could not be resumed: ${reportError(fault).message}`, {
			type: 'sandbox_provider_error',
		});
	}

	const timing = {[plan ? 'start_ms' : 'resume_ms']: Math.round(performance.now() - started)};
	const {sandbox_url} = await database
		.updateTable('sandboxes')
		.set({startup_timing: JSON.stringify(timing)})
		.where('id', '=', sandboxId)
		.returning('sandbox_url')
		.executeTakeFirstOrThrow();
	if (sandbox_url !== null) {
		await untilListening(services, sandboxId, Number(new URL(sandbox_url).port));
	}
}

/** Waits for the service of a sandbox, so that its URL can be used at once; a program that takes longer is no failure. */
async function untilListening({sandboxes}: SandboxServices, sandboxId: string, port: number): Promise<void> {
	const deadline = Date.now() + sandboxes.policy.patience;
	while (Date.now() < deadline && !(await sandboxes.provider.isListening(sandboxId, port))) {
		const {kind} = await sandboxes.provider.inspect(sandboxId);
		if (kind === 'ended' || kind === 'gone') {
			return;
		}

		await sleep(30);
	}
}
