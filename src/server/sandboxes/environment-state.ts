import {setTimeout as sleep} from 'node:timers/promises';
import {type EnvironmentState, isOver} from '../../contract/resources/environment.ts';
import {AppError, isAbort, reportError} from '../../core/error.ts';
import type {ChargeRejection} from '../credits/charge.ts';
import type {Database, Queries} from '../database/tables.ts';
import {stackOf} from '../kit/log.ts';
import {lockingOrganization} from './capacity.ts';
import {type EnvironmentRow, nextState, type Transition} from './environment-transition.ts';
import {endLostLog, markLogEnded} from './log-store.ts';
import {confirmStart, creditsOwed, markStarted, type SandboxRow, settleSandbox} from './meter.ts';
import type {SandboxSpec} from './provider.ts';
import {endIfReached, inspectStart, orProviderFault, orUnstored} from './provider-fault.ts';
import type {SandboxServices} from './sandboxing.ts';

const firstDelayMs = 30;
const maxDelayMs = 500;

/**
 * Starts the sandbox of a new environment and follows it until it is ready or has failed. Never throws: errors set the
 * state `failed` and add a line to its log.
 */
export async function prepareEnvironment(
	services: SandboxServices,
	id: string,
	specOf: () => Promise<SandboxSpec>,
	signal: AbortSignal,
): Promise<void> {
	try {
		const spec = await specOf();
		await services.sandboxes.provider.start(spec);
		await markStarted(services.database, spec.id);
		await endIfOver(services, id);
	} catch (error) {
		logBug(services, error);
		await ignoreFailure(services, async () => {
			const row = await findEnvironment(services, id);
			if (!isOver(row.state)) {
				await transition(services, row, {state: 'failed', error: reportError(error).message});
			}
		});
		return;
	}

	for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
		const state = await ignoreFailure(services, () => advanceEnvironment(services, id));
		if (state !== undefined && state !== 'building' && state !== 'provisioning') {
			return;
		}

		await sleep(delayMs, undefined, {signal}).catch(() => undefined);
	}
}

/** Updates an environment to the state of its sandbox, and returns it. Any server may call it at any time. */
export async function advanceEnvironment(services: SandboxServices, id: string): Promise<EnvironmentState> {
	const row = await findEnvironment(services, id);
	if (isOver(row.state) || row.sandbox_id === null) {
		return row.state;
	}

	const now = services.now();
	const stored = await findSandbox(services, row.sandbox_id);
	if (row.expires_at !== null && row.expires_at <= now.toISOString()) {
		return await transition(services, row, {
			state: 'torn_down',
			...(stored?.limited_by && {error: shortageMessages[stored.limited_by]}),
		});
	}

	const found = stored
		? await inspectStart(services, stored)
		: await services.sandboxes.provider.inspect(row.sandbox_id);
	if (found.kind === 'away') {
		return await transition(services, row, {state: 'failed', error: found.error});
	}

	const isStarting = services.sandboxes.background.has(id);
	const sandbox = stored && !isStarting ? await confirmStart(services.database, stored, found) : stored;
	const next = await nextState(services, row, found, now);
	const state = next.state === row.state ? row.state : await transition(services, row, next);
	const shortage = sandbox && !isOver(state) ? await charge(services, row, sandbox) : undefined;
	return shortage
		? await transition(services, {...row, state}, {state: 'torn_down', error: shortageMessages[shortage]})
		: state;
}

/** Why an environment ends before its time. */
const shortageMessages: Readonly<Record<ChargeRejection, string>> = {
	insufficient_credits: 'The credits of the organization are used up.',
	member_limit_exceeded: 'The monthly credits of its creator are used up.',
};

const findSandbox = ({database}: SandboxServices, id: string) =>
	database.selectFrom('sandboxes').selectAll().where('id', '=', id).executeTakeFirst();

/** Charges usage since the last charge. Returns what is lacking, if anything. */
async function charge({database, sandboxes, now}: SandboxServices, row: EnvironmentRow, sandbox: SandboxRow) {
	const next = {...meterOf(row, sandboxes, now()), state: 'running'} as const;
	if (creditsOwed(sandbox, next.rate, next.now) === 0) {
		return undefined;
	}

	return await lockingOrganization(
		database,
		row.organization_id,
		async transaction => (await settleSandbox(transaction, sandbox, next))?.shortage,
	);
}

const meterOf = ({task_ref}: EnvironmentRow, {policy}: SandboxServices['sandboxes'], now: Date) => ({
	reason: `environment ${task_ref}`,
	rate: policy.creditsPerHour,
	now,
});

/** Ends an environment; an ended one stays as it is. Rejects (502) if its sandbox can't be ended. */
export async function endEnvironment(services: SandboxServices, id: string): Promise<void> {
	for (let row = await findEnvironment(services, id); !isOver(row.state); row = await findEnvironment(services, id)) {
		if (row.sandbox_id !== null) {
			await orProviderFault(services, services.sandboxes.provider.end(row.sandbox_id));
		}

		await transition(services, row, {state: 'torn_down'});
	}
}

/** The environment may have been stopped while its sandbox was starting. */
async function endIfOver(services: SandboxServices, id: string): Promise<void> {
	const {state, sandbox_id} = await findEnvironment(services, id);
	if (isOver(state) && sandbox_id !== null) {
		await services.sandboxes.provider.end(sandbox_id);
	}
}

/**
 * Stores the next state, unless another server was faster. Before it stores an end, it removes the processes and the
 * workspace, unless their engine is away.
 */
async function transition(
	services: SandboxServices,
	row: EnvironmentRow,
	{state, error}: Transition,
): Promise<EnvironmentState> {
	const {database, now, sandboxes, log} = services;
	const isReached = isOver(state) && row.sandbox_id !== null ? await endIfReached(services, row.sandbox_id) : true;
	const at = now();
	const store = async (queries: Queries) => {
		const {numUpdatedRows} = await queries
			.updateTable('environments')
			.set({state, error: error ?? null, updated_at: at.toISOString()})
			.where('id', '=', row.id)
			.where('state', '=', row.state)
			.executeTakeFirst();
		return numUpdatedRows > 0n;
	};
	// Only an end is a decision about credits and capacity: a thousand that start would wait for each other.
	const storeEnd = () =>
		lockingOrganization(database, row.organization_id, async transaction => {
			const isStored = await store(transaction);
			const sandbox = await transaction
				.selectFrom('sandboxes')
				.selectAll()
				.where('id', '=', row.sandbox_id)
				.where('state', '!=', 'killed')
				.executeTakeFirst();
			if (sandbox) {
				await settleSandbox(transaction, sandbox, {...meterOf(row, sandboxes, at), state: 'killed'});
			}

			return isStored;
		});
	const written = isOver(state)
		? await orUnstored(services, 'The sandbox has ended', storeEnd())
		: await store(database);
	if (written) {
		const {id: environment, sandbox_id: sandbox, organization_id: organization, task_ref: task} = row;
		log({level: 'info', message: 'sandbox', state, reason: error, sandbox, environment, task, organization});
	}

	if (!isReached) {
		if (written) {
			await endLogOfAway(database, row.sandbox_id ?? '', error);
		}

		return state;
	}

	if (written && error && row.sandbox_id !== null) {
		await sandboxes.provider.note(row.sandbox_id, error);
	}

	if (written && isOver(state) && row.sandbox_id !== null && sandboxes.collectsLogs) {
		await markLogEnded(database, row.sandbox_id);
	}

	return state;
}

/** Ends the log of a sandbox whose engine is away, with the reason. */
async function endLogOfAway(database: Database, sandboxId: string, error: string | undefined): Promise<void> {
	const line = error ?? 'It has ended while its engine did not answer. Lines before this one may be missing.';
	await database.transaction().execute(transaction => endLostLog(transaction, sandboxId, line));
}

export function findEnvironment({database}: SandboxServices, id: string): Promise<EnvironmentRow> {
	return database.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** If the database is unavailable for a moment, the next check catches up. */
async function ignoreFailure<Result>(
	services: SandboxServices,
	work: () => Promise<Result>,
): Promise<Result | undefined> {
	try {
		return await work();
	} catch (error) {
		logBug(services, error);
		return undefined;
	}
}

function logBug({log}: SandboxServices, error: unknown): void {
	if (!(error instanceof AppError) && !isAbort(error)) {
		log({level: 'error', message: 'sandbox', error: stackOf(error)});
	}
}
