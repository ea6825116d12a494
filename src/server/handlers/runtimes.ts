import type {Runtime, RuntimeInstance} from '../../contract/resources/runtime.ts';
import type {Handlers} from '../handlers.ts';
import {notFound} from '../handlers.ts';
import {refuse} from '../refusal.ts';
import {limitFor} from '../sandboxes/capacity.ts';
import {creditsFor} from '../sandboxes/credit-price.ts';
import {resumeRuntime} from '../sandboxes/resume-runtime.ts';
import {findRuntime, type RuntimeRow, type SandboxRow, secondsRun} from '../sandboxes/runtime-life.ts';
import type {Services} from '../services.ts';

export const runtimeHandlers = {
	async resumeRuntime({params: {runtimeId}}, {principal, scope, services}) {
		const found = await services.database
			.selectFrom('runtimes')
			.select(['id', 'created_by', 'key'])
			.where('workspace_id', '=', scope.workspace.id)
			.where(where => where.or([where('key', '=', runtimeId), where('id', '=', runtimeId.toLowerCase())]))
			.executeTakeFirst();
		if (!found) {
			refuse(404, notFound);
		}

		if (found.created_by !== principal.userId) {
			refuse(403, `The runtime “${found.key}” belongs to somebody else, who alone may resume it.`);
		}

		await resumeRuntime(services, found.id, scope.organization.slug);
		return await responseOf(services, found.id, principal.userId);
	},
} satisfies Partial<Handlers>;

async function responseOf(services: Services, id: string, userId: string): Promise<Runtime> {
	const {runtime, sandbox} = await findRuntime(services, id);
	const project =
		runtime.project_id === null
			? undefined
			: await services.database
					.selectFrom('projects')
					.select(['slug', 'name'])
					.where('id', '=', runtime.project_id)
					.executeTakeFirst();
	return {
		id: runtime.id,
		key: runtime.key,
		name: runtime.name,
		description: runtime.description,
		config_digest: runtime.config_digest,
		config_version: runtime.config_version,
		created_at: runtime.created_at,
		updated_at: runtime.updated_at,
		created_by: runtime.created_by,
		owned_by_me: runtime.created_by === userId,
		project_id: runtime.project_id,
		project_key: project?.slug ?? null,
		project_name: project?.name ?? null,
		workspace_id: runtime.workspace_id,
		status: runtime.status,
		instance: sandbox ? await instanceOf(services, runtime, sandbox) : null,
	};
}

async function instanceOf(
	{database, sandboxes, now}: Services,
	runtime: RuntimeRow,
	sandbox: SandboxRow,
): Promise<RuntimeInstance> {
	const {policy, provider} = sandboxes;
	const bounds = await database
		.selectFrom('organizations')
		.select(['runtime_seconds_max', 'runtime_seconds_default', 'sandbox_capacity'])
		.where('id', '=', runtime.organization_id)
		.executeTakeFirstOrThrow();
	const limit = limitFor(policy, bounds, runtime.requested_seconds);
	const seconds = secondsRun(sandbox, now());
	const used = creditsFor(seconds, policy.creditsPerHour);
	const atOnce =
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
		actual_runtime_limit_seconds: Math.round(atOnce ?? limit.actual),
		configured_runtime_limit_seconds: limit.configured.seconds,
		configured_runtime_limit_source_level: limit.configured.level,
		requested_runtime_limit_seconds: limit.requested.seconds,
		requested_runtime_limit_source_level: limit.requested.level,
		billed_credits: sandbox.billed_credits,
		running_credits: Math.max(0, used - sandbox.billed_credits),
		estimated_total_credits: creditsFor(
			atOnce === undefined ? seconds : sandbox.past_seconds + atOnce,
			policy.creditsPerHour,
		),
		runtime_limited_by_credits: sandbox.limited_by !== null,
	};
}
