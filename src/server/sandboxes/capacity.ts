import type {DatabaseTransaction} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import type {SandboxPolicy} from './sandboxing.ts';
import {limitTime, type TimeLimit} from './time-limit.ts';

/** What an organization allows; null is what the server allows. */
export type OrganizationBounds = {
	readonly runtime_seconds_max: number | null;
	readonly runtime_seconds_default: number | null;
	readonly sandbox_capacity: number | null;
};

/**
 * Locks an organization until the transaction ends, so that only one at a time decides about its sandboxes; the update
 * locks the row on both engines. Returns the organization's own limits.
 */
export async function lockOrganization(
	transaction: DatabaseTransaction,
	organizationId: string,
): Promise<OrganizationBounds> {
	return await transaction
		.updateTable('organizations')
		.set(({ref}) => ({updated_at: ref('updated_at')}))
		.where('id', '=', organizationId)
		.returning(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
		.executeTakeFirstOrThrow();
}

/** Rejects (409) if the organization's capacity is used up. `except` is an existing sandbox that doesn't count. */
export async function assertCapacity(
	transaction: DatabaseTransaction,
	organizationId: string,
	{capacity, except = ''}: {readonly capacity: number; readonly except?: string},
): Promise<void> {
	const {count} = await transaction
		.selectFrom('sandboxes')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('organization_id', '=', organizationId)
		.where('state', '!=', 'killed')
		.where('id', '!=', except)
		.executeTakeFirstOrThrow();
	if (Number(count) >= capacity) {
		reject(
			409,
			`The organization has ${count} of ${capacity} sandboxes in use, running or paused. Stop one, or wait for one to end.`,
			{
				type: 'org_sandbox_capacity_exceeded_error',
			},
		);
	}
}

/** Returns the time limit of an organization's sandbox; `requested` is null for none. */
export function limitFor(policy: SandboxPolicy, bounds: OrganizationBounds, requested: number | null): TimeLimit {
	return limitTime({
		platformMax: policy.maxSeconds,
		platformDefault: policy.defaultSeconds,
		organizationMax: bounds.runtime_seconds_max,
		organizationDefault: bounds.runtime_seconds_default,
		requested,
	});
}
