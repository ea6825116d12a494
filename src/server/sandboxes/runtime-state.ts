import type {Selectable} from 'kysely';
import type {RuntimeInstance} from '../../contract/resources/runtime.ts';
import type {ChargeRejection} from '../credits/charge.ts';
import type {Tables} from '../database/tables.ts';
import {abandonedAfterMs} from './background.ts';
import {lockingOrganization} from './capacity.ts';
import {confirmStart, creditsOwed, type SandboxRow, settleSandbox} from './meter.ts';
import {endIfReached, inspectStart, orProviderFault, orUnstored} from './provider-fault.ts';
import type {SandboxServices} from './sandboxing.ts';

export type RuntimeRow = Selectable<Tables['runtimes']>;

type PauseReason = NonNullable<RuntimeInstance['pause_reason']>;

/** Returns a runtime with its sandbox, if it has one. */
export async function findRuntime({database}: SandboxServices, id: string) {
	const runtime = await database.selectFrom('runtimes').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
	const sandbox =
		runtime.sandbox_id === null
			? undefined
			: await database.selectFrom('sandboxes').selectAll().where('id', '=', runtime.sandbox_id).executeTakeFirst();
	return {runtime, sandbox};
}

/**
 * Updates a runtime to the state of its sandbox: ended by itself, out of time or out of credits. Any server on its
 * machine may call it at any time.
 */
export async function advanceRuntime(services: SandboxServices, id: string): Promise<void> {
	const {runtime, sandbox: stored} = await findRuntime(services, id);
	if (!stored || runtime.status === 'idle') {
		return;
	}

	const {sandboxes} = services;
	const now = services.now();
	const found = await inspectStart(services, stored);
	if (found.kind === 'away') {
		await endUnstarted(services, runtime, stored.id, true);
		return;
	}

	const sandbox = sandboxes.background.has(id) ? stored : await confirmStart(services.database, stored, found);
	const since = Date.parse(sandbox.running_since ?? sandbox.created_at);
	const isStarting = sandboxes.background.has(id) || now.getTime() - since < abandonedAfterMs;
	if (found.kind === 'ended' || (found.kind === 'gone' && !isStarting)) {
		await settle(services, runtime, sandbox, {state: 'killed'});
		return;
	}

	if (sandbox.state !== 'running') {
		return;
	}

	// The supervisor pauses a sandbox at its deadline, also without a server. If a server crashes while resuming it, it
	// stays paused.
	const isOver = sandbox.expires_at !== null && sandbox.expires_at <= now.toISOString();
	if (isOver || (found.kind === 'paused' && !isStarting)) {
		await suspend(services, runtime, sandbox, sandbox.limited_by ?? 'timeout');
		return;
	}

	if (creditsOwed(sandbox, sandboxes.policy.creditsPerHour, now) > 0) {
		const shortage = await settle(services, runtime, sandbox, {state: 'running'});
		if (shortage) {
			const {sandbox: charged = sandbox} = await findRuntime(services, id);
			await suspend(services, runtime, charged, shortage);
		}
	}
}

/** Ends the sandbox of a runtime, which becomes idle. Its workspace stays. */
export async function endRuntime(services: SandboxServices, id: string): Promise<void> {
	const {runtime, sandbox} = await findRuntime(services, id);
	if (sandbox) {
		await settle(services, runtime, sandbox, {state: 'killed'});
	}
}

/**
 * Ends a sandbox that couldn't be started or resumed, and refunds what that was billed. Its runtime becomes idle. One that has run
 * stays paused if its engine is away.
 */
export async function endUnstarted(
	services: SandboxServices,
	runtime: RuntimeRow,
	sandboxId: string,
	isAway = false,
): Promise<void> {
	const sandbox = await services.database
		.selectFrom('sandboxes')
		.selectAll()
		.where('id', '=', sandboxId)
		.executeTakeFirstOrThrow();
	const isPaused = isAway && sandbox.past_seconds > 0;
	await settle(services, runtime, sandbox, isPaused ? {state: 'paused', reason: 'timeout'} : {state: 'killed'});
}

/** Stops a runtime, also a paused one; an idle one stays as it is. Rejects (502) if its sandbox can't be ended. */
export async function stopRuntime(services: SandboxServices, id: string): Promise<void> {
	const find = () => findRuntime(services, id);
	for (let found = await find(); found.sandbox && found.runtime.status !== 'idle'; found = await find()) {
		await orProviderFault(services, endRuntime(services, id));
	}
}

/** Pauses a sandbox, or ends it if the provider can't pause. */
async function suspend(services: SandboxServices, runtime: RuntimeRow, sandbox: SandboxRow, reason: PauseReason) {
	const {provider} = services.sandboxes;
	if (provider.supportsPause) {
		await provider.pause(sandbox.id);
		await settle(services, runtime, sandbox, {state: 'paused', reason});
		await continueIfResumed(services, sandbox);
	} else {
		await provider.end(sandbox.id);
		await settle(services, runtime, sandbox, {state: 'killed', reason});
	}
}

/** The owner may have resumed it between the check and the pause. */
async function continueIfResumed(
	{database, sandboxes, now}: SandboxServices,
	{id, running_since}: SandboxRow,
): Promise<void> {
	const fresh = await database
		.selectFrom('sandboxes')
		.select(['running_since', 'expires_at'])
		.where('id', '=', id)
		.where('state', '=', 'running')
		.executeTakeFirst();
	if (fresh && fresh.running_since !== running_since) {
		const after = fresh.expires_at === null ? 0 : Date.parse(fresh.expires_at) - now().getTime();
		await sandboxes.provider.resume(id, {after: Math.max(0, after), action: 'pause'});
	}
}

/** What has been done when a state is stored. */
const doneOf = {paused: 'The sandbox is paused', killed: 'The sandbox has ended'} as const;

const statusOf = {running: 'running', paused: 'paused', killed: 'idle'} as const;

/**
 * Stores a sandbox's new state and charges its usage since the last charge; only one server succeeds. Returns what is
 * lacking, if anything.
 */
async function settle(
	services: SandboxServices,
	runtime: RuntimeRow,
	sandbox: SandboxRow,
	{state, reason}: {readonly state: SandboxRow['state']; readonly reason?: PauseReason},
): Promise<ChargeRejection | undefined> {
	const {database, sandboxes, now, log} = services;
	// Whoever stops a runtime of their own is told that its engine is away.
	if (state === 'killed' && sandbox.billed_before_start === null) {
		await sandboxes.provider.end(sandbox.id);
	} else if (state === 'killed') {
		await endIfReached(services, sandbox.id);
	}

	if (state !== 'running') {
		log({
			level: 'info',
			message: 'sandbox',
			state,
			reason,
			sandbox: sandbox.id,
			runtime: runtime.id,
			organization: sandbox.organization_id,
		});
	}

	const at = now();
	const rate = sandboxes.policy.creditsPerHour;
	// All decisions about an organization's sandboxes lock the organization first, to prevent deadlocks.
	const stored = lockingOrganization(database, sandbox.organization_id, async transaction => {
		const next = {state, pauseReason: reason ?? null, reason: `runtime ${runtime.key}`, rate, now: at};
		const settled = await settleSandbox(transaction, sandbox, next);
		if (settled) {
			await transaction
				.updateTable('runtimes')
				.set({status: statusOf[state], updated_at: at.toISOString()})
				.where('id', '=', runtime.id)
				.where('sandbox_id', '=', sandbox.id)
				.execute();
		}

		return settled?.shortage;
	});
	return await (state === 'running' ? stored : orUnstored(services, doneOf[state], stored));
}
