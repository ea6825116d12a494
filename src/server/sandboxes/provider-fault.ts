import {fileReason} from '../../storage/file-error.ts';
import {reject} from '../kit/http-error.ts';
import {stackOf} from '../kit/log.ts';
import type {SandboxServices} from './sandboxing.ts';

/** Rejects (409) if this server starts no sandboxes. */
export async function assertCanStart(services: SandboxServices): Promise<void> {
	const why = await orProviderFault(services, services.sandboxes.provider.unavailableReason());
	if (why !== undefined) {
		reject(409, why, {type: 'configuration_error'});
	}

	await assertOwnMachine(services);
}

/** Rejects (409) if a server of another host manages the machine of this id, as if the data folder was copied. */
async function assertOwnMachine(services: SandboxServices): Promise<void> {
	const {database, sandboxes, now} = services;
	const other = await database
		.selectFrom('machines')
		.select('id')
		.where('id', '=', await orProviderFault(services, sandboxes.provider.machine()))
		.where('host', 'not in', [sandboxes.host, ''])
		.where('held_until', '>=', now().toISOString())
		.executeTakeFirst();
	if (other) {
		reject(
			409,
			'This server’s data folder is a copy of one in use on another host. Stop this server, delete sandboxes/machine in the folder, and start it again.',
			{type: 'configuration_error'},
		);
	}
}

/**
 * Returns the result of a provider call. If it fails, e.g. because the disk is full, it logs the error and rejects the
 * request (502).
 */
export async function orProviderFault<Result>({log}: SandboxServices, work: Promise<Result>): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		log({level: 'error', message: 'sandbox provider', error: stackOf(error)});
		const reason = fileReason(error) ?? 'something went wrong';
		reject(502, `Can’t reach the sandboxes of this server: ${reason}. Try again later.`, {
			type: 'sandbox_provider_error',
		});
	}
}

/**
 * Rejects (502) an action that only the sandbox's own machine can do, if that is another one. Null means no machine.
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
		});
	}
}
