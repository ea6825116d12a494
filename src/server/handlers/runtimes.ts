import type {ExpressionBuilder} from 'kysely';
import type {Runtime, RuntimeInstance} from '../../contract/resources/runtime.ts';
import {isUuid} from '../../core/uuid.ts';
import type {Queries, Tables} from '../database/tables.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {NamedPlace} from '../kit/scope.ts';
import {limitFor, type OrganizationBounds} from '../sandboxes/capacity.ts';
import {createRuntime} from '../sandboxes/create-runtime.ts';
import {creditsFor} from '../sandboxes/credit-price.ts';
import {type SandboxRow, secondsRun} from '../sandboxes/meter.ts';
import {assertSameMachine} from '../sandboxes/provider-fault.ts';
import {resumeRuntime} from '../sandboxes/resume-runtime.ts';
import {type RuntimeRow, stopRuntime} from '../sandboxes/runtime-state.ts';
import {asReached, publicSandboxUrl} from '../sandboxes/service-urls.ts';
import {readInputs} from '../tasks/inputs.ts';
import type {HandlerContext, Handlers} from './handler.ts';
import {filterProjectId, projectIdOf, readLongPage, sortBy, totalOf} from './page.ts';
import type {Services} from './services.ts';
import {checkTimeout, findTask} from './task-body.ts';

type RuntimeContext = HandlerContext<{readonly organization: NamedPlace; readonly workspace: NamedPlace}>;

export const runtimeHandlers = {
	/** Newest first. */
	async listRuntimes({query}, context) {
		const {principal, scope, services, request} = context;
		const projectId = filterProjectId(scope, query.project);
		const matches = services.database
			.selectFrom('runtimes')
			.where(projectId === undefined ? 'workspace_id' : 'project_id', '=', projectId ?? scope.workspace.id);
		const {items, ...page} = await readLongPage(context, query, {
			matches: [matches],
			count: matches.select(totalOf),
			order: [sortBy('runtimes.created_at', 'desc'), sortBy('runtimes.id')],
			rowsOf: ids => selectRuntimes(services.database).where('runtimes.id', 'in', ids),
		});
		return {...page, items: items.map(row => runtimeResponse({...services, request}, row, principal.userId))};
	},

	async getRuntime({params: {runtimeId}}, {principal, scope, services, request}) {
		const row = await selectRuntimes(services.database)
			.where('runtimes.workspace_id', '=', scope.workspace.id)
			.where(isNamed(runtimeId))
			.executeTakeFirst();
		return row ? runtimeResponse({...services, request}, row, principal.userId) : rejectNotFound();
	},

	async createRuntime({body}, context) {
		const {principal, scope, services} = context;
		const task = await findTask(services, body.task_ref, scope.organization.slug);
		const inputs = readInputs(task, {});
		if ('errors' in inputs) {
			const names = inputs.errors.map(({loc}) => loc.at(-1)).join(', ');
			const msg = `needs inputs (${names}), and a runtime has none but the defaults of its task`;
			rejectField(['body', 'task_ref'], msg, 'missing_input');
		}

		const id = await createRuntime(services, {
			organizationId: scope.organization.id,
			workspaceId: scope.workspace.id,
			projectId: (await projectIdOf(services.database, scope.workspace.id, body.project_id)) ?? null,
			createdBy: principal.userId,
			key: checkKey(body.key),
			name: body.name?.trim() || body.key,
			description: body.description?.trim() || null,
			taskReference: body.task_ref,
			requestedSeconds: checkTimeout(body.timeout_sec),
		});
		return await responseOf(context, id);
	},

	async resumeRuntime({params: {runtimeId}}, context) {
		const {principal, scope, services} = context;
		const found = await findRuntime(context, runtimeId);
		if (found.created_by !== principal.userId) {
			reject(403, `The runtime “${found.key}” belongs to another user. Only they can resume it.`);
		}

		await resumeRuntime(services, found.id, scope.organization.slug);
		return await responseOf(context, found.id);
	},

	/** Responds once no process of its sandbox runs. */
	async stopRuntime({params: {runtimeId}}, context) {
		const {principal, scope, services} = context;
		const found = await findRuntime(context, runtimeId);
		if (found.created_by !== principal.userId && scope.role === 'member') {
			reject(403, `The runtime “${found.key}” belongs to another user. Only they and admins can stop it.`);
		}

		await assertSameMachine(services, found.machine, 'stop it');
		await stopRuntime(services, found.id);
		return await responseOf(context, found.id);
	},
} satisfies Partial<Handlers>;

/** Returns the workspace's runtime by key or UUID. Rejects (404) an unknown one. */
async function findRuntime({scope, services}: RuntimeContext, keyOrId: string) {
	const found = await services.database
		.selectFrom('runtimes')
		.leftJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.select(['runtimes.id', 'runtimes.created_by', 'key', 'machine'])
		.where('workspace_id', '=', scope.workspace.id)
		.where(isNamed(keyOrId))
		.executeTakeFirst();
	return found ?? rejectNotFound();
}

/** Matches the runtime with a key or a UUID. */
const isNamed =
	(keyOrId: string) =>
	({or, eb}: ExpressionBuilder<Pick<Tables, 'runtimes'>, 'runtimes'>) =>
		or([eb('runtimes.key', '=', keyOrId), eb('runtimes.id', '=', keyOrId.toLowerCase())]);

async function responseOf({principal, services, request}: RuntimeContext, id: string) {
	const row = await selectRuntimes(services.database).where('runtimes.id', '=', id).executeTakeFirstOrThrow();
	return runtimeResponse({...services, request}, row, principal.userId);
}

/** Checks that a key is a slug and can't be mistaken for a UUID. */
function checkKey(key: string): string {
	const isSlug = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(key);
	if (!isSlug || isUuid(key)) {
		const msg = 'must be lower-case letters, digits and dashes, with no dash first or last, and no UUID';
		rejectField(['body', 'key'], msg, 'invalid_value');
	}

	return key;
}

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
	due_at: true,
	memory_bytes: true,
} satisfies Record<SandboxColumn, true>) as readonly SandboxColumn[];

/** Selects runtimes with their projects, sandboxes and organizations' limits, without a filter or an order. */
function selectRuntimes(queries: Queries) {
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

/** What the answer to a request needs. */
type Answering = Services & {readonly request: Request};

/** Returns a runtime as the API defines it for a user. */
function runtimeResponse(services: Answering, row: Row, userId: string): Runtime {
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

function instanceOf(services: Answering, runtime: Row, sandbox: SandboxRow): RuntimeInstance {
	const {sandboxes, now, request} = services;
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
		sandbox_url:
			sandbox.state === 'killed'
				? null
				: publicSandboxUrl(asReached(services, request), runtime.id, sandbox.sandbox_url),
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
