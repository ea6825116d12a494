import type {RuntimeInstance} from '../../contract/resources/runtime.ts';

type Level = NonNullable<RuntimeInstance['requested_runtime_limit_source_level']>;

/** Limits in seconds, from the highest precedence to the lowest; null where a level says nothing. */
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
	/** What counts: what was asked for, within what is allowed. */
	readonly actual: number;
	/** The lowest maximum: what is allowed. */
	readonly configured: Limit;
	/** What was asked for, or else the default nearest to the caller: what it would be if all were allowed. */
	readonly requested: Limit;
};

/**
 * The time that a sandbox gets. Maxima bound from above, the platform's before the organization's; among defaults the
 * organization's stands for what nobody asked for, and the platform's where the organization has none.
 */
export function limitTime(chain: LimitChain): TimeLimit {
	const {platformMax, platformDefault, organizationMax, organizationDefault, requested: asked} = chain;
	const configured: Limit =
		organizationMax !== null && organizationMax < platformMax
			? {seconds: organizationMax, level: 'l2_org_max'}
			: {seconds: platformMax, level: 'l1_platform_max'};
	const requested: Limit =
		asked !== null
			? {seconds: asked, level: 'l4_requested'}
			: organizationDefault !== null
				? {seconds: organizationDefault, level: 'l3_org_default'}
				: {seconds: platformDefault, level: 'l1_platform_default'};
	return {actual: Math.min(requested.seconds, configured.seconds), configured, requested};
}
