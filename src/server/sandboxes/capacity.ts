import type {DatabaseTransaction} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import type {SandboxPolicy} from './sandboxing.ts';
import {limitTime, type TimeLimit} from './time-limit.ts';

/**
 * Lets one transaction at a time decide on the sandboxes of an organization, on both engines: a row that was written is
 * held until the end. Gives the bounds that the organization has of its own.
 */
export async function holdOrganization(transaction: DatabaseTransaction, organizationId: string) {
	return await transaction
		.updateTable('organizations')
		.set(({ref}) => ({updated_at: ref('updated_at')}))
		.where('id', '=', organizationId)
		.returning(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
		.executeTakeFirstOrThrow();
}

export type OrganizationBounds = Awaited<ReturnType<typeof holdOrganization>>;

/** Refuses (409) where the organization has as many sandboxes as it may; `but` is one that is there already. */
export async function assertCapacity(
	transaction: DatabaseTransaction,
	organizationId: string,
	{capacity, but = ''}: {readonly capacity: number; readonly but?: string},
): Promise<void> {
	const {count} = await transaction
		.selectFrom('sandboxes')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('organization_id', '=', organizationId)
		.where('state', '!=', 'killed')
		.where('id', '!=', but)
		.executeTakeFirstOrThrow();
	if (Number(count) >= capacity) {
		reject(409, `The organization has ${count} of ${capacity} sandboxes in use. Wait for one to end.`, {
			type: 'org_sandbox_capacity_exceeded_error',
		});
	}
}

/** The time that a sandbox of an organization gets; `requested` in seconds, null where nobody asked. */
export function limitFor(policy: SandboxPolicy, bounds: OrganizationBounds, requested: number | null): TimeLimit {
	return limitTime({
		platformMax: policy.maxSeconds,
		platformDefault: policy.defaultSeconds,
		organizationMax: bounds.runtime_seconds_max,
		organizationDefault: bounds.runtime_seconds_default,
		requested,
	});
}
