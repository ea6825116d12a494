import {reject, rejectField} from '../kit/http-error.ts';
import {orProviderFault} from '../sandboxes/provider-fault.ts';
import type {Task} from '../tasks/task.ts';
import {isUsableBy, parseReference} from '../tasks/task-reference.ts';
import type {Services} from './services.ts';

/** How many tasks an error suggests. */
const maxSuggestions = 10;

/**
 * Returns the task that a body refers to. Rejects an invalid reference (422) and a task that the organization can't use
 * (404).
 */
export async function findTask(services: Services, reference: string, organization: string): Promise<Task> {
	if (!parseReference(reference)) {
		rejectField(['body', 'task_ref'], 'must be [org/]name[@version]', 'invalid_reference');
	}

	const {tasks} = services.sandboxes;
	const task = await orProviderFault(services, tasks.find(reference, organization));
	if (task) {
		return task;
	}

	const others = (await orProviderFault(services, tasks.list())).filter(other => isUsableBy(other, organization));
	const names = [...new Set(others.map(({name, version}) => `${name}@${version}`))].toSorted();
	const more = names.length > maxSuggestions ? `, and ${names.length - maxSuggestions} more` : '';
	reject(404, `No task “${reference}”. This organization can use ${names.slice(0, maxSuggestions).join(', ')}${more}.`);
}

/** Returns the requested time limit; null for none. Rejects (422) one below a second. */
export function checkTimeout(seconds: number | null | undefined): number | null {
	if (typeof seconds === 'number' && seconds < 1) {
		rejectField(['body', 'timeout_sec'], 'must be at least 1', 'too_small');
	}

	return seconds ?? null;
}
