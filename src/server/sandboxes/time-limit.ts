import type {RuntimeInstance} from '../../contract/resources/runtime.ts';

type Level = NonNullable<RuntimeInstance['requested_runtime_limit_source_level']>;

/** Limits in seconds, from the highest precedence to the lowest; null if a level has none. */
export type LimitChain = {
	readonly platformMax: number;
	readonly platformDefault: number;
	readonly organizationMax: number | null;
	readonly organizationDefault: number | null;
	readonly requested: number | null;
};

/** A time limit in seconds and the level that set it. */
type Limit = {readonly seconds: number; readonly level: Level};

export type TimeLimit = {
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
