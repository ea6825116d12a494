import type {Lenient} from '../../../contract/lenient.ts';
import type {RuntimeInstance} from '../../../contract/resources/runtime.ts';
import {entryOf} from '../../../core/entry-of.ts';
import {formatDuration, formatMeasure, formatNumber} from '../../../core/format.ts';

/** The sandbox of a runtime. Any field may be missing. */
export type Instance = Lenient<RuntimeInstance>;

const levelNames: Readonly<Record<string, string>> = {
	l1_platform_max: 'platform max',
	l1_platform_default: 'platform default',
	l2_org_max: 'org max',
	l3_org_default: 'org default',
	l4_requested: 'requested',
};

/** Returns the label of a limit level; an unknown level as it is. */
export function levelName(level: string): string {
	return entryOf(levelNames, level) ?? level;
}

type Limit = {
	readonly what: 'configured' | 'requested';
	/** Seconds. */
	readonly limit: number | null | undefined;
	readonly level: string;
};

const unsaid = 'level unknown';

/** Returns the limits that the server names, with the level that each came from. */
export function limitsOf(instance: Instance): readonly Limit[] {
	const configured = instance.configured_runtime_limit_seconds;
	const requested = instance.requested_runtime_limit_seconds;
	return [
		{what: 'configured' as const, limit: configured, level: instance.configured_runtime_limit_source_level},
		{what: 'requested' as const, limit: requested, level: instance.requested_runtime_limit_source_level},
	].flatMap(({what, limit, level}) =>
		typeof limit === 'number' || level ? [{what, limit, level: level || unsaid}] : [],
	);
}

/** Returns where the actual limit came from, as far as the server says. */
export function winner(
	{actual_runtime_limit_seconds: actual, runtime_limited_by_credits: byCredits}: Instance,
	limits: readonly Limit[],
): string {
	if (byCredits) {
		return 'limited by credits';
	}

	const won = limits.find(({limit, level}) => typeof actual === 'number' && limit === actual && level !== unsaid);
	return won ? `effective: ${levelName(won.level)}` : '';
}

/** Returns seconds as text, with hours if that is easier to read. */
export function timeLimit(seconds: number | null | undefined): string {
	if (typeof seconds !== 'number') {
		return 'not set';
	}

	const isLong = seconds >= 60 && seconds < 1e9;
	return isLong ? `${formatNumber(seconds)} s (${formatDuration(seconds * 1000)})` : `${formatMeasure(seconds)} s`;
}
