import type {RuntimeInstance} from '../../contract/resources/runtime.ts';
import type {Database, DatabaseTransaction} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import type {SandboxPolicy} from './sandboxing.ts';

/** What an organization allows; null is what the server allows. */
export type OrganizationBounds = {
	readonly runtime_seconds_max: number | null;
	readonly runtime_seconds_default: number | null;
	readonly sandbox_capacity: number | null;
};

/**
 * Runs a transaction with the organization locked, so that only one at a time decides about its sandboxes; the update locks
 * the row on both engines. Passes the organization's own limits. Rejects (429) if others hold the lock for too long.
 */
export function lockingOrganization<Result>(
	database: Database,
	organizationId: string,
	work: (transaction: DatabaseTransaction, bounds: OrganizationBounds) => Promise<Result>,
): Promise<Result> {
	return organizationTransaction(database, organizationId, async transaction => {
		const bounds = await transaction
			.updateTable('organizations')
			.set(({ref}) => ({updated_at: ref('updated_at')}))
			.where('id', '=', organizationId)
			.returning(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
			.executeTakeFirstOrThrow();
		return await work(transaction, bounds);
	});
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

type Level = NonNullable<RuntimeInstance['requested_runtime_limit_source_level']>;

/** Limits in seconds, from the highest precedence to the lowest; null if a level has none. */
type LimitChain = {
	readonly platformMax: number;
	readonly platformDefault: number;
	readonly organizationMax: number | null;
	readonly organizationDefault: number | null;
	readonly requested: number | null;
};

/** A time limit in seconds and the level that set it. */
type Limit = {readonly seconds: number; readonly level: Level};

type TimeLimit = {
	/** The effective limit: the requested one within the maximum. */
	readonly actual: number;
	/** The lowest maximum. */
	readonly configured: Limit;
	/** The requested limit, or else the default closest to the caller, before the maximum applies. */
	readonly requested: Limit;
};

/**
 * Returns the time limit of a sandbox. The lower maximum wins. The organization's default takes precedence over the
 * platform's.
 */
export function limitTime(chain: LimitChain): TimeLimit {
	const {platformMax, platformDefault, organizationMax, organizationDefault, requested: requestedSeconds} = chain;
	const configured: Limit =
		organizationMax !== null && organizationMax < platformMax
			? {seconds: organizationMax, level: 'l2_org_max'}
			: {seconds: platformMax, level: 'l1_platform_max'};
	const requested: Limit =
		requestedSeconds !== null
			? {seconds: requestedSeconds, level: 'l4_requested'}
			: organizationDefault !== null
				? {seconds: organizationDefault, level: 'l3_org_default'}
				: {seconds: platformDefault, level: 'l1_platform_default'};
	return {actual: Math.min(requested.seconds, configured.seconds), configured, requested};
}
