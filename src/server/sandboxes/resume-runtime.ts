import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {reportError} from '../../core/error.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import {assertCapacity, limitFor, lockingOrganization} from './capacity.ts';
import {assertRoom, memoryFor} from './machine-room.ts';
import {prepay, type SandboxRow} from './meter.ts';
import type {Deadline} from './provider.ts';
import {assertCanStart, assertSameMachine, isEngineAway, orProviderFault, orUnstored} from './provider-fault.ts';
import {advanceRuntime, endUnstarted, findRuntime, type RuntimeRow} from './runtime-state.ts';
import type {SandboxPolicy, SandboxServices} from './sandboxing.ts';
import {planTask, type TaskPlan} from './task-plan.ts';

/**
 * Resumes a runtime: continues its sandbox, or starts a new one in its workspace. If that is on another machine, the runtime
 * moves to this one without it. A running one stays as it is, so that requests can be repeated, even at once. Refuses
 * without capacity or credits (409), or if the provider fails (502).
 */
export async function resumeRuntime(services: SandboxServices, id: string, organization: string): Promise<void> {
	const {sandboxes} = services;
	const before = await findRuntime(services, id);
	if (before.sandbox && before.sandbox.state !== 'killed') {
		await assertSameMachine(services, before.sandbox.machine, 'resume it');
		await orProviderFault(services, advanceRuntime(services, id));
	}

	const {runtime, sandbox} = await findRuntime(services, id);
	if (runtime.status === 'running') {
		return;
	}

	const paused = sandbox?.state === 'paused' ? sandbox : undefined;
	const fresh = paused ? undefined : await planRuntime(services, runtime, organization);
	const plan = fresh?.plan;
	const memoryBytes = fresh?.memoryBytes ?? paused?.memory_bytes ?? null;
	const admitted = await admit(services, runtime, {paused, plan, memoryBytes});
	if (admitted) {
		const deadline: Deadline = {
			after: admitted.seconds * 1000,
			action: sandboxes.provider.supportsPause ? 'pause' : 'end',
		};
		await startSandbox(services, runtime, {sandboxId: admitted.sandboxId, plan, deadline});
		const started = {sandbox: admitted.sandboxId, runtime: id, organization: runtime.organization_id};
		services.log({level: 'info', message: 'sandbox', state: 'running', ...started});
		if (sandbox && sandbox.machine !== admitted.machine) {
			// Its workspace stays there, so that it got the one of this machine: a new one, or that of an earlier run.
			const {machine: from, id: left} = sandbox;
			services.log({level: 'warn', message: 'runtime moved', runtime: id, from, to: admitted.machine, left});
		} else if (sandbox && !paused) {
			await sandboxes.provider.remove(sandbox.id);
		}
	}
}

async function planRuntime(services: SandboxServices, {key, task_ref}: RuntimeRow, organization: string) {
	const task = await orProviderFault(services, services.sandboxes.tasks.find(task_ref, organization));
	if (!task) {
		reject(409, `The task “${task_ref}” of the runtime “${key}” no longer exists.`, {type: 'task_error'});
	}

	const inputs = Object.entries(task.inputs).flatMap(([name, input]) =>
		input.default === undefined ? [] : [[name, input.default] as const],
	);
	const plan = await planTask(services.sandboxes.provider, task, {
		inputs: Object.fromEntries(inputs),
		modelOverrides: {},
		secrets: {},
	});
	return {plan, memoryBytes: memoryFor(task)};
}

/** The paused sandbox to continue, or the plan of a new one. */
type ResumeSource = {
	readonly paused: SandboxRow | undefined;
	readonly plan: TaskPlan | undefined;
	readonly memoryBytes: number | null;
};

/**
 * Decides in one transaction which request resumes a runtime, and for how long. Returns undefined if another request
 * was faster.
 */
async function admit(services: SandboxServices, runtime: RuntimeRow, {paused, plan, memoryBytes}: ResumeSource) {
	const {database, sandboxes, now} = services;
	const {provider, policy, room} = sandboxes;
	await assertCanStart(services, plan?.needs);
	const machine = await orProviderFault(services, provider.machine());
	const sandboxId = paused?.id ?? randomUUID();
	return await lockingOrganization(database, runtime.organization_id, async (transaction, bounds) => {
		const fresh = await transaction
			.selectFrom('runtimes')
			.select('status')
			.where('id', '=', runtime.id)
			.executeTakeFirstOrThrow();
		if (fresh.status === 'running') {
			return undefined;
		}

		const capacity = bounds.sandbox_capacity ?? policy.capacity;
		await assertCapacity(transaction, runtime.organization_id, {capacity, except: paused?.id});
		await assertRoom(transaction, room, {machine, memoryBytes: memoryBytes ?? 0, except: paused?.id});
		const {actual} = limitFor(policy, bounds, runtime.requested_seconds);
		const {seconds, running} = await prepayRun(transaction, runtime, {paused, policy, limitSeconds: actual, at: now()});
		const url = Object.values(plan?.services ?? {})[0]?.url;
		const at = {id: sandboxId, provider: provider.name, machine, url, memoryBytes};
		await (paused
			? transaction.updateTable('sandboxes').set(running).where('id', '=', sandboxId).execute()
			: insertSandbox(transaction, runtime, at, running));
		await transaction
			.updateTable('runtimes')
			.set({status: 'running', sandbox_id: sandboxId, updated_at: running.running_since})
			.where('id', '=', runtime.id)
			.execute();
		return {sandboxId, seconds, machine};
	});
}

type Bill = {
	readonly paused: SandboxRow | undefined;
	readonly policy: SandboxPolicy;
	readonly limitSeconds: number;
	readonly at: Date;
};

/** What the row of a sandbox says of a run that is paid for. */
type PaidRun = {
	readonly state: 'running';
	readonly pause_reason: null;
	readonly limited_by: SandboxRow['limited_by'];
	readonly billed_credits: number;
	readonly billed_before_start: number;
	readonly running_since: string;
	readonly expires_at: string;
	readonly due_at: string;
};

/** Charges a runtime in advance, and returns how long it may run with the state of its sandbox. */
async function prepayRun(
	transaction: DatabaseTransaction,
	runtime: RuntimeRow,
	{paused, policy, limitSeconds, at}: Bill,
): Promise<{readonly seconds: number; readonly running: PaidRun}> {
	const payer = {
		organizationId: runtime.organization_id,
		userId: runtime.created_by,
		reason: `runtime ${runtime.key}`,
		now: at,
	};
	const used = {past: paused?.past_seconds ?? 0, billed: paused?.billed_credits ?? 0, rate: policy.creditsPerHour};
	const credit = await prepay(transaction, payer, used);
	const seconds = Math.min(limitSeconds, credit.seconds);
	const running: PaidRun = {
		state: 'running',
		pause_reason: null,
		limited_by: credit.seconds < limitSeconds ? credit.shortage : null,
		billed_credits: credit.billed,
		billed_before_start: used.billed,
		running_since: at.toISOString(),
		expires_at: new Date(at.getTime() + seconds * 1000).toISOString(),
		due_at: at.toISOString(),
	};
	return {seconds, running};
}

type NewSandbox = {
	readonly id: string;
	readonly provider: string;
	readonly machine: string;
	readonly url: string | undefined;
	readonly memoryBytes: number | null;
};

async function insertSandbox(
	transaction: DatabaseTransaction,
	runtime: RuntimeRow,
	{id, provider, machine, url, memoryBytes}: NewSandbox,
	running: PaidRun,
): Promise<void> {
	await transaction
		.insertInto('sandboxes')
		.values({
			...running,
			id,
			organization_id: runtime.organization_id,
			created_by: runtime.created_by,
			provider,
			provider_sandbox_id: id,
			machine,
			sandbox_url: url ?? null,
			past_seconds: 0,
			startup_timing: '{}',
			memory_bytes: memoryBytes,
			created_at: running.running_since,
		})
		.execute();
}

type StartOptions = {readonly sandboxId: string; readonly plan: TaskPlan | undefined; readonly deadline: Deadline};

/** Starts or continues the process; if that fails, the runtime is idle again and its credits are refunded. */
async function startSandbox(
	services: SandboxServices,
	runtime: RuntimeRow,
	{sandboxId, plan, deadline}: StartOptions,
): Promise<void> {
	const {sandboxes, database} = services;
	const started = performance.now();
	let fault: unknown;
	await sandboxes.background.run(runtime.id, async () => {
		try {
			if (plan) {
				const {id: workspace, organization_id: organization} = runtime;
				await sandboxes.provider.start(await plan.specOf({id: sandboxId, organization, deadline, workspace}));
				await endIfStopped(services, sandboxId);
			} else {
				await sandboxes.provider.resume(sandboxId, deadline);
			}
		} catch (error) {
			fault = error;
		}
	});
	if (fault !== undefined) {
		await endUnstarted(services, runtime, sandboxId, isEngineAway(services, fault));
		reject(502, `The runtime “${runtime.key}” could not be resumed: ${reportError(fault).message}`, {
			type: 'sandbox_provider_error',
		});
	}

	const timing = {[plan ? 'start_ms' : 'resume_ms']: Math.round(performance.now() - started)};
	const stored = database
		.updateTable('sandboxes')
		.set({startup_timing: JSON.stringify(timing), billed_before_start: null})
		.where('id', '=', sandboxId)
		.returning('sandbox_url')
		.executeTakeFirstOrThrow();
	const {sandbox_url} = await orUnstored(services, `The runtime “${runtime.key}” is running`, stored);
	if (sandbox_url !== null) {
		await untilListening(services, sandboxId, Number(new URL(sandbox_url).port));
	}
}

/** The runtime may have been stopped while its sandbox was starting. */
async function endIfStopped({database, sandboxes}: SandboxServices, sandboxId: string): Promise<void> {
	const sandbox = await database
		.selectFrom('sandboxes')
		.select('state')
		.where('id', '=', sandboxId)
		.executeTakeFirstOrThrow();
	if (sandbox.state === 'killed') {
		await sandboxes.provider.end(sandboxId);
	}
}

/** Waits for the service of a sandbox, so that its URL works at once. A slower program is not an error. */
async function untilListening({sandboxes}: SandboxServices, sandboxId: string, port: number): Promise<void> {
	const deadline = Date.now() + sandboxes.policy.startTimeoutMs;
	while (Date.now() < deadline && !(await sandboxes.provider.isListening(sandboxId, port))) {
		const {kind} = await sandboxes.provider.inspect(sandboxId);
		if (kind === 'ended' || kind === 'gone') {
			return;
		}

		await sleep(30);
	}
}
