import type {Selectable} from 'kysely';
import type {EnvironmentState} from '../../contract/resources/environment.ts';
import type {Tables} from '../database/tables.ts';
import {abandonedAfterMs} from './background.ts';
import type {SandboxState} from './provider.ts';
import type {SandboxServices} from './sandboxing.ts';
import type {ServiceAddresses} from './task-plan.ts';

export type EnvironmentRow = Selectable<Tables['environments']>;

/** The next state of an environment, with the reason for a failure. */
export type Transition = {readonly state: EnvironmentState; readonly error?: string};

/** Returns the next state of an environment, given the state of its sandbox. */
export async function nextState(
	services: SandboxServices,
	row: EnvironmentRow,
	found: SandboxState,
	now: Date,
): Promise<Transition> {
	const addresses: ServiceAddresses = JSON.parse(row.service_urls);
	const ports = Object.values(addresses).map(({port}) => port);
	switch (found.kind) {
		case 'building':
		case 'paused':
			return {state: found.kind};
		case 'running':
			return row.state === 'ready' ? {state: 'ready'} : await whileRunning(services, row, ports, now);
		case 'ended':
			return afterEnd(found, ports.length > 0);
		default: {
			const age = now.getTime() - Date.parse(row.created_at);
			const isAwaited =
				services.sandboxes.background.has(row.id) || (row.state === 'building' && age < abandonedAfterMs);
			return isAwaited ? {state: row.state} : {state: 'failed', error: 'Its sandbox ended unexpectedly.'};
		}
	}
}

async function whileRunning(
	{sandboxes}: SandboxServices,
	{state, updated_at, sandbox_id}: EnvironmentRow,
	ports: readonly number[],
	now: Date,
): Promise<Transition> {
	const listening = await Promise.all(ports.map(port => sandboxes.provider.isListening(sandbox_id ?? '', port)));
	if (listening.every(Boolean)) {
		return {state: 'ready'};
	}

	const {serviceTimeoutMs} = sandboxes.policy;
	const isLate = state === 'provisioning' && now.getTime() - Date.parse(updated_at) > serviceTimeoutMs;
	return isLate
		? {state: 'failed', error: `Its services did not respond within ${serviceTimeoutMs / 1000} s.`}
		: {state: 'provisioning'};
}

function afterEnd({step, status, requested}: SandboxState & {kind: 'ended'}, hasServices: boolean): Transition {
	const how = status === null ? 'was ended by a signal' : `ended with status ${status}`;
	if (requested || (status === 0 && !hasServices)) {
		return {state: 'torn_down'};
	}

	const why = hasServices && step === 'command' ? ', but its services must keep running' : '';
	return {state: 'failed', error: `The ${step} ${how}${why}. See its log.`};
}
