import {type Lenient, originalOf} from '../../../contract/lenient.ts';
import {limitLevels, type Runtime, type RuntimeInstance} from '../../../contract/resources/runtime.ts';
import {entryOf} from '../../../core/entry-of.ts';
import {formatDuration, formatMeasure, formatNumber} from '../../../core/format.ts';
import {isJsonObject, type Json} from '../../../core/json.ts';
import {factsPart, yesOrNo} from '../../render/facts.ts';
import type {Result} from '../../result.ts';

/** Returns a runtime with its current sandbox: state, time limits and credits. */
export function runtimeResult(runtime: Lenient<Runtime>): Result {
	const {instance} = runtime;
	return {
		kind: 'group',
		parts: [
			factsPart(
				[
					['status', runtime.status],
					['runtime', runtime.id],
					['key', runtime.key],
					['task', taskOf(originalOf(runtime))],
					['description', runtime.description],
					['project', projectOf(runtime)],
					['yours', yesOrNo(runtime.owned_by_me)],
					['config', [runtime.config_version, runtime.config_digest].filter(Boolean).join(', ')],
					['created', runtime.created_at],
					['updated', runtime.updated_at],
				],
				runtime.name ?? runtime.key ?? 'Runtime',
			),
			...(instance
				? [instanceRecord(instance), limitTable(instance), creditsRecord(instance)]
				: [{kind: 'text', text: 'No sandbox right now.'} as const]),
		],
		data: originalOf(runtime),
	};
}

/** Returns the task of a runtime. Our server names it; the specification has no field for it. */
function taskOf(runtime: Json): string | undefined {
	const task = isJsonObject(runtime) ? runtime['task_ref'] : undefined;
	return typeof task === 'string' ? task : undefined;
}

function projectOf({project_name: name, project_key: key, project_id: id}: Lenient<Runtime>): string | undefined {
	return name ?? key ?? (id === null ? 'none' : id);
}

function instanceRecord(instance: Instance): Result {
	return factsPart(
		[
			['state', instance.state],
			['pause reason', instance.pause_reason ?? 'none'],
			// Never inferred from the provider, as specified.
			['can be paused', yesOrNo(instance.supports_pause) ?? 'unknown'],
			['expires', instance.expires_at ?? 'not set'],
			['uptime', instance.total_runtime_seconds === undefined ? undefined : timeLimit(instance.total_runtime_seconds)],
			['address', instance.sandbox_url],
			['provider', [instance.provider, instance.provider_sandbox_id].filter(Boolean).join(', ')],
			['sandbox', instance.sandbox_id],
			['created', instance.created_at],
		],
		'Sandbox',
	);
}

/** Returns the chain of levels with their limits, then the effective limit and where it came from. */
function limitTable(instance: Instance): Result {
	const limits = limitsOf(instance);
	const levels = new Set([...limitLevels, ...limits.map(({level}) => level)]);
	const rows = [...levels].flatMap(level => {
		const here = limits.filter(limit => limit.level === level);
		return here.length > 0
			? here.map(({what, limit}) => [levelName(level), timeLimit(limit), what])
			: [[levelName(level), '–', '']];
	});
	return {
		kind: 'table',
		title: 'Time limits, highest precedence first',
		columns: [{label: 'level'}, {label: 'limit'}, {label: ''}],
		rows: [...rows, ['actual', timeLimit(instance.actual_runtime_limit_seconds), winner(instance, limits)]],
		empty: '',
		notes: ['– = no limit set'],
		data: null,
	};
}

function creditsRecord(instance: Instance): Result {
	const count = (value: number | undefined) => formatNumber(value ?? 0);
	return {
		kind: 'record',
		title: 'Credits',
		fields: [
			['billed', count(instance.billed_credits)],
			['running', count(instance.running_credits)],
			['estimated total', count(instance.estimated_total_credits)],
			['limited by credits', yesOrNo(instance.runtime_limited_by_credits) ?? 'unknown'],
		],
		data: null,
	};
}

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
