import {AppError} from '../../core/error.ts';
import {fileReason} from '../../storage/file-error.ts';
import {isDatabaseFault, isLockTimeout} from '../database/fault.ts';
import {HttpError, reject} from '../kit/http-error.ts';
import {stackOf} from '../kit/log.ts';
import {abandonedAfterMs} from './background.ts';
import type {SandboxRow} from './meter.ts';
import type {SandboxNeeds, SandboxState} from './provider.ts';
import type {SandboxServices} from './sandboxing.ts';

/** Rejects (409) if this server starts no sandboxes, or none as the task asks for. */
export async function assertCanStart(services: SandboxServices, needs: SandboxNeeds = {}): Promise<void> {
	const refusal = await services.sandboxes.provider.refusalOf(needs);
	if (refusal !== undefined) {
		reject(409, refusal, {type: 'task_error'});
	}

	const why = await orProviderFault(services, services.sandboxes.provider.unavailableReason());
	if (why !== undefined) {
		reject(409, why, {type: 'configuration_error'});
	}

	await assertOwnMachine(services);
}

/** Rejects (409) if a server of another host or data folder manages the machine of this id, as if the folder was copied. */
async function assertOwnMachine(services: SandboxServices): Promise<void> {
	const {database, sandboxes, now} = services;
	const machine = await orProviderFault(services, sandboxes.provider.machine());
	const folder = await sandboxes.folderId();
	const other = await database
		.selectFrom('machines')
		.select('host')
		.where('id', '=', machine)
		.where(({or, eb}) => or([eb('host', 'not in', [sandboxes.host, '']), eb('folder', 'not in', [folder, ''])]))
		.where('held_until', '>=', now().toISOString())
		.executeTakeFirst();
	if (other) {
		reject(
			409,
			`This server’s data folder is a copy of one in use ${other.host === sandboxes.host ? 'here' : 'on another host'}. Stop this server, delete sandboxes/machine in the folder, and start it again.`,
			{type: 'configuration_error'},
		);
	}
}

/**
 * Returns the result of a provider call. If it fails, e.g. because the disk is full, it logs the error and rejects the
 * request (502). What the database can't do is none of the provider's faults.
 */
export async function orProviderFault<Result>({log}: SandboxServices, work: Promise<Result>): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof HttpError || isDatabaseFault(error)) {
			throw error;
		}

		log({level: 'error', message: 'sandbox provider', error: stackOf(error)});
		const why = `Can’t reach the sandboxes of this server: ${fileReason(error) ?? 'something went wrong'}. Try again later.`;
		reject(502, error instanceof AppError ? error.message : why, {
			type: 'sandbox_provider_error',
		});
	}
}

/**
 * Returns the result of storing what was done to a sandbox. If the database can't store it now, e.g. because the disk is full,
 * rejects the request with `done`, which says what has changed all the same: a check stores it later.
 */
export async function orUnstored<Result>(
	{log}: SandboxServices,
	done: string,
	store: Promise<Result>,
): Promise<Result> {
	try {
		return await store;
	} catch (error) {
		const isBusy = isLockTimeout(error) || (error instanceof HttpError && error.status === 429);
		if (!isBusy && !isDatabaseFault(error)) {
			throw error;
		}

		log({level: 'error', message: 'sandbox not stored', error: stackOf(error)});
		const why = isBusy ? 'because too many changes wait' : 'because its database does not answer or has no room';
		reject(isBusy ? 429 : 502, `${done}, but this server couldn’t store that, ${why}. It will do so later.`, {
			type: 'database_error',
			...(isBusy && {headers: {'retry-after': '2'}}),
		});
	}
}

/** Returns whether a call failed because the engine doesn't answer. What is left there is ended when it is back (`endOrphans`). */
export function isEngineAway({sandboxes: {provider}}: SandboxServices, error: unknown): error is AppError {
	return provider.isShared && error instanceof AppError && error.code === 'network';
}

/** Ends a sandbox. Returns false if its engine doesn't answer, so that it is to be ended in the database alone. */
export async function endIfReached(services: SandboxServices, id: string): Promise<boolean> {
	try {
		await services.sandboxes.provider.end(id);
		return true;
	} catch (error) {
		if (!isEngineAway(services, error)) {
			throw error;
		}

		services.log({level: 'warn', message: 'sandbox left on its engine', sandbox: id, error: error.message});
		return false;
	}
}

/**
 * Returns the state of a sandbox, or `away` with a sentence if its engine doesn't answer and the time for its start is over. Throws
 * what the provider throws otherwise.
 */
export async function inspectStart(
	services: SandboxServices,
	{id, billed_before_start: before, running_since, created_at}: SandboxRow,
): Promise<SandboxState | {readonly kind: 'away'; readonly error: string}> {
	try {
		return await services.sandboxes.provider.inspect(id);
	} catch (error) {
		const ageMs = services.now().getTime() - Date.parse(running_since ?? created_at);
		if (before === null || ageMs < abandonedAfterMs || !isEngineAway(services, error)) {
			throw error;
		}

		return {kind: 'away', error: `It did not start within ${abandonedAfterMs / 1000} s. ${error.message}`};
	}
}

/**
 * Rejects (502) an action that only the sandbox's own machine can do, if that is another one, so that the request is passed on
 * to that. Null means no machine.
 */
export async function assertSameMachine(
	services: SandboxServices,
	machine: string | null,
	action: string,
): Promise<void> {
	const thisMachine = await orProviderFault(services, services.sandboxes.provider.machine());
	if (machine !== null && machine !== thisMachine) {
		reject(502, `The sandbox is on another machine. Only a server on that machine can ${action}.`, {
			type: 'sandbox_provider_error',
			machine,
		});
	}
}
