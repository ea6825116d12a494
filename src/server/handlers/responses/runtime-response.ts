import type {Runtime, RuntimeInstance} from '../../../contract/resources/runtime.ts';
import type {Queries} from '../../database/tables.ts';
import {limitFor, type OrganizationBounds} from '../../sandboxes/capacity.ts';
import {creditsFor} from '../../sandboxes/credit-price.ts';
import {type SandboxRow, secondsRun} from '../../sandboxes/meter.ts';
import type {RuntimeRow} from '../../sandboxes/runtime-state.ts';
import type {Services} from '../services.ts';

type SandboxColumn = keyof SandboxRow;

/** The row of a sandbox with a prefix before each name, because runtimes have columns of the same names. */
type PrefixedSandbox = {readonly [Name in SandboxColumn as `sandbox_of_${Name}`]: unknown};

type Row = RuntimeRow &
	OrganizationBounds &
	PrefixedSandbox & {readonly project_key: string | null; readonly project_name: string | null};

/** Every column of a sandbox; a missing one doesn't compile. */
const sandboxColumns = Object.keys({
	id: true,
	organization_id: true,
	created_by: true,
	provider: true,
	provider_sandbox_id: true,
	machine: true,
	state: true,
	pause_reason: true,
	limited_by: true,
	sandbox_url: true,
	past_seconds: true,
	running_since: true,
	billed_credits: true,
	billed_before_start: true,
	startup_timing: true,
	created_at: true,
	expires_at: true,
} satisfies Record<SandboxColumn, true>) as readonly SandboxColumn[];

/** Selects runtimes with their projects, sandboxes and organizations' limits, without a filter or an order. */
export function selectRuntimes(queries: Queries) {
	return queries
		.selectFrom('runtimes')
		.innerJoin('organizations', 'organizations.id', 'runtimes.organization_id')
		.leftJoin('projects', 'projects.id', 'runtimes.project_id')
		.leftJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.selectAll('runtimes')
		.select(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
		.select(['projects.slug as project_key', 'projects.name as project_name'])
		.select(sandboxColumns.map(name => `sandboxes.${name} as sandbox_of_${name}` as const));
}

/** Returns a runtime as the API defines it for a user. */
export function runtimeResponse(services: Services, row: Row, userId: string): Runtime {
	const sandbox = sandboxOf(row);
	return {
		id: row.id,
		key: row.key,
		name: row.name,
		description: row.description,
		config_digest: row.config_digest,
		config_version: row.config_version,
		created_at: row.created_at,
		updated_at: row.updated_at,
		created_by: row.created_by,
		owned_by_me: row.created_by === userId,
		project_id: row.project_id,
		project_key: row.project_key,
		project_name: row.project_name,
		workspace_id: row.workspace_id,
		status: row.status,
		task_ref: row.task_ref,
		instance: sandbox ? instanceOf(services, row, sandbox) : null,
	};
}

function sandboxOf(row: Row): SandboxRow | undefined {
	return row.sandbox_of_id === null
		? undefined
		: (Object.fromEntries(sandboxColumns.map(name => [name, row[`sandbox_of_${name}`]])) as SandboxRow);
}

function instanceOf({sandboxes, now}: Services, runtime: Row, sandbox: SandboxRow): RuntimeInstance {
	const {policy, provider} = sandboxes;
	const limit = limitFor(policy, runtime, runtime.requested_seconds);
	const seconds = secondsRun(sandbox, now());
	const used = creditsFor(seconds, policy.creditsPerHour);
	const currentLimit =
		sandbox.running_since !== null && sandbox.expires_at !== null
			? (Date.parse(sandbox.expires_at) - Date.parse(sandbox.running_since)) / 1000
			: undefined;
	return {
		sandbox_id: sandbox.id,
		provider: sandbox.provider,
		provider_sandbox_id: sandbox.provider_sandbox_id,
		state: sandbox.state,
		created_at: sandbox.created_at,
		expires_at: sandbox.state === 'running' ? sandbox.expires_at : null,
		pause_reason: sandbox.pause_reason,
		sandbox_url: sandbox.state === 'killed' ? null : sandbox.sandbox_url,
		startup_timing: JSON.parse(sandbox.startup_timing),
		supports_pause: provider.supportsPause,
		total_runtime_seconds: seconds,
		actual_runtime_limit_seconds: Math.round(currentLimit ?? limit.actual),
		configured_runtime_limit_seconds: limit.configured.seconds,
		configured_runtime_limit_source_level: limit.configured.level,
		requested_runtime_limit_seconds: limit.requested.seconds,
		requested_runtime_limit_source_level: limit.requested.level,
		billed_credits: sandbox.billed_credits,
		running_credits: Math.max(0, used - sandbox.billed_credits),
		estimated_total_credits: Math.max(
			// Prepaid credits count even if the time isn't used.
			sandbox.billed_credits,
			creditsFor(currentLimit === undefined ? seconds : sandbox.past_seconds + currentLimit, policy.creditsPerHour),
		),
		runtime_limited_by_credits: sandbox.limited_by !== null,
	};
}
